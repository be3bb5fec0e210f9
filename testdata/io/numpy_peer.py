#!/usr/bin/env python3
"""NumPy's side of the file tests.

    numpy_peer.py write DIR   writes arrays of many kinds, each with the expected row-major
                              little-endian bytes next to it (NAME.expect) and one line in index.txt
    numpy_peer.py check DIR   reads DIR/index.txt, lines "FILE MEMBER DTYPE SHAPE", and compares
                              every array with DIR/FILE.MEMBER.expect
    numpy_peer.py fixtures    renews the small committed files next to this script, and the seeds in
                              fuzz/corpus: the same files behind a byte that chooses no dtype
"""
import itertools
import os
import struct
import sys

import numpy as np
from numpy.lib import format as npy_format

NAMES = {'<f4': 'fp32', '<f2': 'fp16', '|i1': 'int8', '|u1': 'uint8', '<i2': 'int16',
         '<u2': 'uint16', '<i4': 'int32', '<u4': 'uint32'}
SHAPES = [(), (1,), (7,), (0,), (2, 3), (5, 0, 3), (3, 1, 2), (2, 3, 4, 5), (1, 2, 1, 3, 2),
          (33, 65), (64, 2, 40)]


def random_array(descr, shape, rng):
    dtype = np.dtype(descr)
    count = int(np.prod(shape, dtype=np.int64))
    data = rng.integers(0, 256, count * dtype.itemsize, dtype=np.uint8)
    return data.view(dtype).reshape(shape)


def expected_bytes(array):
    return np.ascontiguousarray(array.astype(array.dtype.newbyteorder('<'))).tobytes()


def shape_text(shape):
    return 'x'.join(map(str, shape)) if shape else 'scalar'


def write(folder):
    rng = np.random.default_rng(1)
    index = open(os.path.join(folder, 'index.txt'), 'w')

    def note(file, member, array):
        name = NAMES[array.dtype.newbyteorder('<').str]
        with open(os.path.join(folder, f'{file}.{member}.expect'), 'wb') as out:
            out.write(expected_bytes(array))
        print(file, member, name, shape_text(array.shape), file=index)

    arrays = {}
    for number, (descr, shape) in enumerate(itertools.product(NAMES, SHAPES)):
        array = random_array(descr, shape, rng)
        kind = number % 4
        if kind == 1:
            array = np.asfortranarray(array)
        if kind == 2 and array.dtype.itemsize > 1:
            array = array.astype(array.dtype.newbyteorder('>'))
        file = f'a{number}.npy'
        with open(os.path.join(folder, file), 'wb') as out:
            version = [(1, 0), (2, 0), (3, 0)][number % 3]
            npy_format.write_array(out, array, version=version)
        note(file, '-', array)
        arrays[f'a{number}'] = array
    for file, save in (('stored.npz', np.savez), ('packed.npz', np.savez_compressed)):
        save(os.path.join(folder, file), **arrays)
        for member, array in arrays.items():
            note(file, member, array)


def check(folder):
    archives = {}
    for line in open(os.path.join(folder, 'index.txt')):
        file, member, name, shape = line.split()
        path = os.path.join(folder, file)
        if member == '-':
            array = np.load(path)
        else:
            archives.setdefault(file, np.load(path))
            array = archives[file][member]
        assert NAMES[array.dtype.str] == name, (line, array.dtype.str)
        assert shape_text(array.shape) == shape, (line, array.shape)
        assert array.flags.c_contiguous, line
        with open(os.path.join(folder, f'{file}.{member}.expect'), 'rb') as expect:
            assert array.tobytes() == expect.read(), line


def safetensors(entries):
    """An independent writer: entries are (name, dtype, shape, bytes)."""
    header, data = [], b''
    for name, dtype, shape, content in entries:
        offsets = [len(data), len(data) + len(content)]
        header.append(f'"{name}":{{"dtype":"{dtype}","shape":{list(shape)},"data_offsets":{offsets}}}')
        data += content
    text = ('{"__metadata__":{"format":"pt"},' + ','.join(header) + '}').encode()
    return struct.pack('<Q', len(text)) + text + data


def fixtures():
    folder = os.path.dirname(os.path.abspath(__file__))
    small = np.arange(6, dtype='<f4').reshape(2, 3)
    np.save(os.path.join(folder, 'f4_2x3.npy'), small)
    np.save(os.path.join(folder, 'f4_2x3_fortran.npy'), np.asfortranarray(small))
    np.save(os.path.join(folder, 'u2_big_endian.npy'), np.array([1, 0x1234], dtype='>u2'))
    np.save(os.path.join(folder, 'i4_scalar.npy'), np.array(-7, dtype='<i4'))
    for version in ((2, 0), (3, 0)):
        with open(os.path.join(folder, f'i1_v{version[0]}.npy'), 'wb') as out:
            npy_format.write_array(out, np.array([-1, 2], dtype='|i1'), version=version)
    np.save(os.path.join(folder, 'f8.npy'), np.zeros(2))
    np.save(os.path.join(folder, 'structured.npy'), np.zeros(2, dtype=[('a', '<f4')]))
    both = {'first': small, 'second': np.array([1, 2, 3], dtype='|u1')}
    np.savez(os.path.join(folder, 'stored.npz'), **both)
    np.savez_compressed(os.path.join(folder, 'packed.npz'), **both)
    with open(os.path.join(folder, 'small.safetensors'), 'wb') as out:
        out.write(safetensors([
            ('weight', 'F32', (2, 3), small.tobytes()),
            ('half', 'BF16', (2,), struct.pack('<2H', 0x3f80, 0xc000)),
            ('e4m3', 'F8_E4M3', (3,), bytes([0x38, 0x7e, 0xff])),
            ('e5m2', 'F8_E5M2', (1,), bytes([0x3c])),
            ('long', 'I64', (1,), struct.pack('<q', 5)),
            ('empty', 'F16', (0, 4), b''),
        ]))
    seeds = os.path.join(folder, '..', '..', 'fuzz', 'corpus')
    for file in os.listdir(folder):
        kind = file.rsplit('.')[-1]
        if kind in ('npy', 'npz', 'safetensors'):
            with open(os.path.join(folder, file), 'rb') as source:
                with open(os.path.join(seeds, kind, file), 'wb') as out:
                    out.write(b'\xff' + source.read())


if __name__ == '__main__':
    command = sys.argv[1]
    fixtures() if command == 'fixtures' else globals()[command](sys.argv[2])
