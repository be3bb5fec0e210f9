#!/usr/bin/env python3
"""What the command line prints for people is Chinese where the language is.

    check_chinese.py --tensorlane PROGRAM --program CORPUS

Commands over every verb, right and wrong ones; no English sentence may be in what they say (../language/english.py). A verb without
a row fails. The findings of the checker are compared page by page elsewhere (../diagnostics).
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import verbs

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "language"))
import english  # noqa: E402

LAYOUT = "--layout aligned --shape 2,3,4,5 --npus 4 --npu-bytes 1024"
# At least one command of every verb, then mistakes.
ROWS = {
    "run": ["run -- ./kernel race_load_add", "run --time --advice --check=all,lint -- ./kernel race_load_add", "run -- true",
            "run --precision --self-profile -- ./kernel no_poll", "run -- ./kernel no_poll", "run --print #0 -- ./kernel no_poll",
            "run", "run -- ./missing", "run --dma x -- true", "run --bogus -- true", "run --json x.json -- true", "run --check=x -- true",
            "run --suppressions missing -- true", "run --timeout x -- true", "run --error-exitcode 300 -- true", "run --print x: -- true",
            "run --dump a.c:7 -- true", "run --watch x -- true", "run --expect missing.npy -- true", "run --report no/such -- true"],
    "diff": ["diff a.jsonl a.jsonl", "diff a.jsonl b.jsonl", "diff --dma late -- ./kernel race_load_add", "diff a.jsonl", "diff -- true",
             "diff missing missing", "diff in.npy in.npy"],
    "why": ["why --local 0:0 --end -- ./kernel race_load_add", "why -- ./kernel no_poll", "why --local 0 -- true",
            "why --local 0:0 -- true", "why --element x -- true"],
    "layout list": ["layout list", "layout list --chip nope"],
    "layout describe": [f"layout describe {LAYOUT}", "layout describe --layout 4N --dtype int8 --shape 6,5,4,5",
                        "layout describe --layout 2IC --shape 3,5,3,3", "layout describe --layout aligned --shape 64,512,64,64",
                        "layout describe --layout matrix --shape 256,1000 --cols-per-channel 128",
                        "layout describe --layout matrix --shape 256,1000 --cols-per-channel 16",
                        "layout describe --chip bm1684x --layout 32IC --dtype fp16 --shape 3,40,1,2 --start-npu 3",
                        "layout describe --chip mace --layout DW_CONV2D_FILTER --shape 2,6,2,3",
                        "layout describe --layout aligned --offset 500000 --shape 1,64,64,64",
                        "layout describe --layout alined --shape 1,1,1,1", "layout describe --layout 4N --shape 1,1,1,1",
                        "layout describe --layout aligned --shape x", "layout describe --layout aligned", "layout describe",
                        "layout describe --layout nChw16c --shape 1,40,7,7", "layout describe --layout (2,3:(3,1)",
                        "layout describe --layout (2,3):(1,1)", "layout describe --layout (2,3):(-3,1)", "layout describe --layout (2,3+9of(4,2)):(8,(1,4))",
                        "layout describe --layout (8,8):(8,1)swizzle3,0,3", "layout describe --layout (8,8):(8,1)swizzle3,0,2",
                        "layout describe --layout (8,8):(8,1)+1swizzle3,0,3"],
    "layout identify": ["layout identify --shape 2,3,4,5 --strides 32,32,5,1", "layout identify --shape 2,3,4,5 --strides 99,33,5,1",
                        "layout identify --shape 1,1,1,5 --strides 9,9,9,1", "layout identify --shape 2,3 --strides 1,1",
                        "layout identify --shape 2,3,4,5 --strides 32,?,?,1", "layout identify --layout NCHW(2,3,4,5):(60,1,15,3)",
                        "layout identify --layout NCHW(2,3,4,5):(60,1,15,4)", "layout identify --dump in.npy --original in.npy",
                        "layout identify --dump in.npy", "layout identify --shape 2"],
    "layout locate": [f"layout locate {LAYOUT} --index 1,2,3,4", f"layout locate {LAYOUT} --npu 0 --byte 400",
                      "layout locate --chip mace --layout IN_OUT_HEIGHT --shape 2,5,3,2 --pixel 4,3,0",
                      "layout locate --layout continuous --dtype int4 --shape 1,1,1,4 --index 0,0,0,1",
                      f"layout locate {LAYOUT}", f"layout locate {LAYOUT} --index 9,9,9,9",
                      "layout locate --tensor x:2,3,4,5:@0x80 --tensor y:2,3,4,5:@0x1000 --at 0x80080,0xd8,0x7000", "layout locate --tensor x:1,1,1,1"],
    "layout table": [f"layout table {LAYOUT}", "layout table --shape 1"],
    "layout convert": ["layout convert in.npy out.npy --from continuous --to aligned",
                       "layout convert in.npy out.npy --from continuous --to 2IC", "layout convert in.npy out.xyz --from continuous --to 4N",
                       "layout convert missing.npy out.npy --from continuous --to aligned",
                       "layout convert a.html out.npy --from continuous --to aligned"],
    "layout verify": ["layout verify in.npy in.npy --to NCHW", "layout verify in.npy in.npy --to NHWC --from NCHW --shape 1,2,3,4",
                      "layout verify in.npy in.npy --to nChw16c", "layout verify in.npy in.npy --to nChw16x", "layout verify in.npy"],
    "layout loops": ["layout loops --from NCHW --to aligned --shape 1,2,3,4", "layout loops --from NCHW --to nChw4c --shape 1,8,3,4",
                     "layout loops --from NCHW --to NCHW --shape 1,2,3,4", "layout loops --from NCHW --to OIHW --chip mace --shape 1,2,3,4"],
    "layout takers": ["layout takers --layout 4N --dtype int8 --shape 6,5,4,5", "layout takers --chip mace --layout NCHW --shape 1,2,3,4",
                      "layout takers --layout matrix --shape 8,64 --cols-per-channel 4", "layout takers --layout 4N --dtype int8 --shape 6,5,4,5 --offset 3"],
    "layout draw": [f"layout draw {LAYOUT}", f"layout draw --svg {LAYOUT}", "layout draw --layout aligned --shape 9,64,99,99",
                    "layout draw --svg --layout aligned --shape 9,64,99,99", "layout draw --svg --layout 4N --dtype int8 --shape 6,5,4,5",
                    "layout draw --layout 4N --dtype int8 --shape 6,5,4,5", "layout draw --svg --layout matrix --shape 2,40 --cols-per-channel 20",
                    "layout draw --chip mace --layout IN_OUT_HEIGHT --shape 2,5,3,2", "layout draw --columns 1 --layout aligned --shape 1,1,1,1",
                    "layout draw --svg --chip mace --layout IN_OUT_HEIGHT --shape 2,5,3,2"],
    "layout plan": ["layout plan input:4,64,28,28:x2 output:4,64,28,28", "layout plan input:64,512,64,64:x2 w:99,99,9,9:whole",
                    "layout plan --banks shared input:64,512,64,64:x2", "layout plan a:1,1,1,400000:whole", "layout plan x", "layout plan",
                    "layout plan x:1,64,99,99:x2 y:1,64,99,99:x2 --command y=x:kernel=3:pad=1", "layout plan x:1,64,9,9 --command x=x --emit c",
                    "layout plan x:1,64,9,9 y:1,64,9,9 --command y=x:kernel=3", "layout plan x:1,64,9,9 --command x:k=3",
                    "layout plan x:1,64,9,9 --command x=x:k=3", "layout plan x:1,64,900,900:whole --command x=x"],
    "ops": ["ops", "ops --chip bm1684x", "ops okk_bdc_conv2d", "ops tpu_bdc_fp_exp", "ops broadcast", "ops 卷积", "ops nope", "ops convultion", "ops sort nonsensical", "ops 双线性插值", "ops leaky relu", "ops group convolution",
            "ops okk_bdc_add --with shape=1,64,8,8", "ops okk_bdc_add --with shape=x", "ops okk_bdc_add --with nope=1",
            "ops okk_bdc_add --with C"],
    "chips": ["chips", "chips nope"],
    "conformance": [f"conformance {verbs.SOURCE}/testdata/okk --filter okk_bdc_neg", "conformance missing", "conformance"],
    "estimate": ["estimate good.jsonl.gz", "estimate --chip bm1684x good.jsonl.gz", "estimate missing", "estimate in.npy"],
    "explain": ["explain", "explain TL-RACE-001", "explain TL-RACE-099"],
    "replay": ["replay --time good.jsonl.gz", "replay missing"],
    "report compare": ["report compare a.html b.html -o both.html", "report compare a.jsonl b.html"],
    "report picture": ["report picture missing", "report picture in.npy", "report picture a.jsonl"],
    "verify": ["verify", "verify missing.c --chip bm1684x --kernel k", "verify missing.c --chip nope --kernel k --size n=1:2",
               "verify missing.c --chip bm1684x --kernel k --size n --reference a.py:b"],
    "tune": ["tune", "tune missing.c --chip bm1684x --kernel k", "tune missing.c --chip bm1684x --kernel k --macro A=1,2",
             "tune missing.c --chip nope --kernel k", "tune missing.c --chip bm1684x --kernel k --macro A"],
    "spread": ["spread", "spread -- true", "spread -- tensorlane conformance missing", "spread --shards x -- true"],
    "validate": ["validate", "validate --data missing", "validate --svg picture.svg --chip bm1684x",
                 f"validate --rows {verbs.SOURCE}/data/board/counters.json", "validate --rows missing.csv"],
    "fit": ["fit", f"fit {verbs.SOURCE}/data/board/counters.json --parameter launch", "fit missing.json", f"fit {verbs.SOURCE}/data/board/counters.json --parameter x"],
    "new": ["new scale", "new scale", "new Scale", "new int", "new --list", "new", "new sums --template reduction --chip bm1684x",
            "new sums --template reducton", "new sums --template q", "new sums --chip q"],
    "build": ["build missing", "build in.npy", "build", "build .", "build wrong.c", "build --chip q x.c"],
    "ppl build": ["ppl build missing.pl -o x.so", "ppl build wrong.c -o x.so", "ppl build x.pl", "ppl build missing.pl --chip q -o x.so"],
    "ppl test": ["ppl test missing.pl", "ppl test wrong.c", "ppl test", "ppl test missing.pl --cores x"],
    "lsp": ["lsp"],
    "help": ["help", "help layout draw", "help nope"],
    "manual": ["manual man", "manual /dev/null/x"],
    "completion": ["completion nope"],  # else scripts
    "layout gallery": ["layout gallery pictures", "layout gallery /dev/null/x"],
    "opencl": ["opencl devices"],
    "opencl devices": ["opencl devices"],
    "opencl verify": ["opencl verify --no-cache --layout in_out_channel --shapes 1", "opencl verify --layout nope"],
    "opencl bench": ["opencl bench --no-cache --layout in_out_channel --mib 1 --turns 1", "opencl bench --mib 0"],
    "opencl pack": ["opencl pack --no-cache in.npy image.npy --layout in_out_channel", "opencl pack in.npy x.npy --layout NHWC"],
    "opencl unpack": ["opencl unpack --no-cache image.npy out.npy --layout in_out_channel --shape 1,2,3,4",
                      "opencl unpack in.npy out.npy --layout in_out_channel --shape 9,9,9,9"],
}
OTHERS = ["", "nope", "--version", "--lang fr chips"]


# Names: of the driver, of roundings, of what stands in listings.
NAMES = re.compile(r"```.*?^```|Portable Computing Language|HALF_UP|half up", re.S | re.M)


def prose(text, listed):
    """What its readers see as sentences: the texts of a picture; no listing, no command that is named."""
    if text.startswith("<svg"):
        text = "\n".join(re.findall(r"<(?:text|title)[^>]*>([^<]*)<", text))
    verbs_of = sorted({verb for line in listed for verb in (line, line.split()[0])}, key=len, reverse=True)
    text = re.sub(r"(?m)^ +(tensorlane|source) .*$", "", NAMES.sub("", text))  # of examples
    return re.sub(r"\btensorlane (" + "|".join(verbs_of) + r")\b", "", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tensorlane", required=True)
    parser.add_argument("--program", required=True)
    options = parser.parse_args()
    tensorlane = os.path.abspath(options.tensorlane)
    listed = verbs.leaves(tensorlane)
    problems = [f"{verb} has no row" for verb in listed if verb not in ROWS]
    opencl = verbs.has_opencl_device(tensorlane)
    commands = [f"{verb} --help" for verb in listed]
    commands += [line for verb in listed if opencl or not verb.startswith("opencl ") for line in ROWS.get(verb, [])] + OTHERS
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        verbs.scene(tensorlane, os.path.abspath(options.program), folder)
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "TENSORLANE_"))}
        for line in commands:
            said = subprocess.run([tensorlane, *line.split()], cwd=folder, env=dict(environment, LANG="zh_CN.UTF-8"), errors="replace",
                                  capture_output=True, stdin=subprocess.DEVNULL, timeout=120, check=False)
            found = english.english_in(prose(said.stdout, listed) + prose(said.stderr, listed))
            if found:
                problems.append(f"{line}: " + "; ".join(sorted(set(found))[:12]))
    print("".join(f"{problem}\n" for problem in problems), f"{len(commands)} commands, {len(problems)} problems", sep="")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
