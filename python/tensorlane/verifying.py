"""One verdict on a kernel: all checks and a reference, over its sizes and the orders of copies."""

from __future__ import annotations

import itertools
import json
import os
import random
import time
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, Sequence, TypeVar

from . import _native, given
from .accuracy import Accuracy, Judgement
from .compiler import source_dependencies
from .corners import corner_values, source_constants
from .dry_sweep import Sweep, sweep
from .errors import UserError
from .kernel_runs import Failure, KernelRuns, Outcome
from .operands import Operands
from .shrinking import smallest
from .sizes import Condition, Point, Sizes, size_text, volume_of
from .texts import tr
from .verdict import Verdict

_ORDERS = ("early", "late", "random:1")
_ORDERS_OF_CORES = ("cores random:1", "cores random:2", "cores random:3")
_SHADOWED = 6  # points that are computed in real numbers as well
_SHADOWED_ELEMENTS = 1 << 15


def verify(sources: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], chip: str,
           kernel: str, args: Mapping[str, Any], *, sizes: Mapping[str, Any], reference: Any,
           where: Condition | Iterable[Condition] = (), tolerance: str | None = None,
           tries: int = 300, dry: int = 20000, most_elements: int = 1 << 21, seed: int = 0,
           seconds: float | None = None, flags: Sequence[str] = (),
           defines: Mapping[str, Any] | None = None, allow: Iterable[str] = (),
           timeout: float = 10.0, isolate: bool = True, cores: int | str = 1) -> Verdict:
    """Whether a kernel is right at all of its sizes.

        tensorlane.verify(
            "rmsnorm.c", "bm1684x", "rmsnorm",
            {"input": tensorlane.Input("rows,cols"), "output": tensorlane.Output("rows,cols"),
             "epsilon": 1e-5},
            sizes={"rows": (1, 300), "cols": (1, 1000)},
            reference=lambda a: a["input"] / np.sqrt(
                np.mean(a["input"] ** 2, 1, keepdims=True) + 1e-5))

    First the kernel runs dry at every size, or at ``dry`` of them: what does not depend on values
    holds there. Then exactly at ``tries`` sizes, with all checks: corners of the chip, of memory
    and of the kernel's own constants, those where it takes another course, others that Hypothesis
    draws (chance, where it is not installed); at each in other orders of copies, where the kernel
    has parallel regions, and of cores, where it runs on several. A failure is brought to the
    smallest sizes that show it.

    sources     the kernel's files; ``flags`` and ``defines`` as Device.compile takes them
    args        values of the kernel's own struct: Input, Output and Scratch are tensors whose
                shapes are expressions of sizes; texts are such expressions, numbers themselves, a
                mapping gives the value that belongs to a choice; sizes that are fields need not be
                named
    sizes       by name a range, both ends as (1, 512), or a list; ``where`` what must hold between
                them: expressions or functions of a point
    reference   a function of all arguments by name (arrays with floats as float64, numbers, sizes)
                that gives the right results: an array, or several by name; or the names of .npy
                files by result, with sizes in braces
    tolerance   as compare() takes it; by default what compare() allows, and more where real numbers
                show that the rest is rounding
    most_elements  of all tensors of a point that is computed
    seconds     when to stop: what was not tried by then is unknown. None: never
    allow       findings that do not fail it; ``timeout`` seconds that a launch may take; without
                ``isolate`` launches happen in this process
    cores       how many of the chip's cores a launch takes, each with the same arguments: a number,
                or an expression of sizes ("cores", where sizes has cores=[1, 2, 8])
    """
    if tries < 1 or dry < 0:
        raise UserError(tr("tries = {}, dry = {}; at least 1 and 0", tries, dry))
    files = [Path(sources)] if isinstance(sources, (str, os.PathLike)) else [Path(each) for each in sources]
    space = Sizes(sizes, where)
    operands = Operands(args, space.names, seed)
    if not operands.results:
        raise UserError(tr("args have no Output: there is nothing to compare"))
    macros = given.macros("defines", defines)
    words = given.words("flags", flags)
    runs = KernelRuns(files, chip, kernel, operands, reference, Judgement(tolerance), flags=words,
                      defines=macros, allow=given.texts("allow", allow, '["TL-LINT-*"]'),
                      timeout=timeout, isolate=isolate, cores=cores)
    ours = Path(__file__).parent / "sdk"  # numbers in our own headers are none of the kernel's
    constants = source_constants(file for file in source_dependencies(chip, files, words, macros)
                                 if ours not in file.parents)
    constants += [int(str(value)) for value in macros.values() if str(value).isdigit()]
    corners = {name: corner_values(values, chip, constants)
               for name, values in space.values.items() if space.numbers(name)}
    return _Search(runs, space, corners, tries, dry, most_elements, seed, seconds).verdict()


_Reference = TypeVar("_Reference", bound=Callable[..., Any])


def verifies(*kernel: Any, **options: Any) -> Callable[[_Reference], Callable[[], None]]:
    """A decorator that makes a pytest test of a reference.

        @tensorlane.verifies("rmsnorm.c", "bm1684x", "rmsnorm", {...}, sizes={"rows": (1, 300)})
        def test_rmsnorm(args):
            return args["input"] / np.sqrt(np.mean(args["input"] ** 2, 1, keepdims=True) + 1e-5)

    The words are those of verify() but for ``reference``, which is the function. The test fails
    with the text of the verdict where the kernel is not right.
    """

    def decorate(reference: _Reference) -> Callable[[], None]:
        def test() -> None:
            __tracebackhide__ = True
            found = verify(*kernel, reference=reference, **options)
            if not found:
                raise AssertionError(str(found))

        test.__name__, test.__doc__ = reference.__name__, reference.__doc__
        test.__module__, test.__qualname__ = reference.__module__, reference.__qualname__
        return test

    return decorate


class _Search:
    """One verification."""

    def __init__(self, runs: KernelRuns, sizes: Sizes, corners: dict[str, list[int]], tries: int,
                 dry: int, most_elements: int, seed: int, seconds: float | None):
        self.runs, self.sizes, self.corners = runs, sizes, corners
        self.tries, self.dry, self.most_elements, self.seed = tries, dry, most_elements, seed
        self.deadline = None if seconds is None else time.monotonic() + seconds
        self.known: dict[tuple[Any, ...], Outcome] = {}
        self.failure: Failure | None = None
        self.orders: set[str] = {"as issued"}
        self.worst: dict[str, dict[str, Any]] = {}
        self.functions: set[str] = set()
        self.largest: tuple[int, Point, Outcome] | None = None
        self.differs = False  # an exact run took another course than the dry one
        self.drawn_by = "chance"

    def out_of_time(self) -> bool:
        return self.deadline is not None and time.monotonic() > self.deadline

    def verdict(self) -> Verdict:
        self.swept = swept = sweep(self.runs, self.sizes, self.corners, self.dry, self.seed, self.out_of_time,
                                   os.cpu_count() or 1)
        if swept.failures:
            return self._wrong_when_dry(swept)
        tried_all = self._compare(swept)
        if self.failure is not None:
            failure, sure = smallest(self.sizes, self.corners, self.failure, self._fails_again)
            return self._answer("wrong", swept, [failure], sure, self.runs.why(failure))
        return self._answer("right" if tried_all and not swept.stopped else "unknown", swept)

    # ---- runs -------------------------------------------------------------------------------------

    def _wrong_when_dry(self, swept: Sweep) -> Verdict:
        def dry(point: Point) -> Failure | None:
            return self.runs.dry(point).failure or self.runs.end_of_batch(at_once=True)

        least = sorted(swept.failures.values(), key=lambda each: volume_of(each.point.values()))
        if swept.complete or self.sizes.count <= self.dry:
            return self._answer("wrong", swept, least, True)
        first, sure = smallest(self.sizes, self.corners, least[0], dry, most=4000)
        return self._answer("wrong", swept, [first, *least[1:]], sure and len(least) == 1)

    def _compare(self, swept: Sweep) -> bool:
        """Exact runs. Whether all that were planned happened; a failure ends them."""
        for point in self._planned(swept):
            if self.out_of_time():
                return False
            if self._fails(point):
                return True
        return self._drawn()

    def _planned(self, swept: Sweep) -> list[Point]:
        """Corners and turns, the smallest first; three quarters of all tries at most."""
        room = self.tries if self.sizes.count <= self.tries else max(1, self.tries * 3 // 4)
        if self.sizes.count <= room:
            points: list[Point] = list(self.sizes.all())
        else:
            points = self._corner_points(room, swept.turns)
        points = [point for point in points if self._is_affordable(point)]
        return sorted(points, key=lambda point: volume_of(point.values()))

    def _corner_points(self, room: int, turns: Sequence[Point]) -> list[Point]:
        """The ends of all sizes together; the first corners of each size with the others as small as
        they can be, where most of what is wrong at a size shows; what lies beyond lanes and constants
        in all of them; then each corner of each size beside one of every other, in turn, the turns
        of the sweep between them."""
        lists = [self.corners.get(name) or list(self.sizes.values[name])
                 for name in self.sizes.names]
        generator = random.Random(self.seed)
        chosen: dict[tuple[Any, ...], Point] = {}

        def take(values: Sequence[Any]) -> None:
            point = self.sizes.point(values)
            if self.sizes.holds(point) and self._is_affordable(point):
                chosen.setdefault(tuple(values), point)

        ends = [[values[0], values[-1]] for values in self.sizes.values.values()]
        beyond = [[*each[:8]] for each in lists]
        for together in itertools.islice(itertools.product(*(each[::-1] for each in ends)), 32):
            take(together)
        for rank in range(room // (3 * len(lists))):
            for k, values in enumerate(lists):
                take([values[min(rank, len(values) - 1)] if j == k else others[0]
                      for j, others in enumerate(lists)])
        for _ in range(room // 4):
            take([generator.choice(each) for each in beyond])
        for rank in range(max(map(len, lists))):
            for k, values in enumerate(lists):
                if rank >= len(values):
                    continue
                # With the smallest other sizes, with others of the first corners, and of all.
                take([values[rank] if j == k else others[0] for j, others in enumerate(lists)])
                for most in (8, 24, len(values)):
                    take([values[rank] if j == k else generator.choice(others[:most])
                          for j, others in enumerate(lists)])
            if rank < len(turns):
                take(list(turns[rank].values()))
            if len(chosen) >= room:
                break
        return list(chosen.values())[:room]

    def _is_affordable(self, point: Point) -> bool:
        return self.runs.operands.elements(point) <= self.most_elements

    def _drawn(self) -> bool:
        """What is left of the tries, drawn by Hypothesis."""
        left = min(self.tries, self.sizes.count) - len(self.known)
        if left <= 0 or self.sizes.count <= self.tries:
            return True
        try:
            from .drawing import draw
        except ImportError:
            return self._by_chance(left)
        self.drawn_by = "Hypothesis"
        return draw(self.sizes, self.corners, left, self.seed, self._is_affordable,
                    lambda point: self.out_of_time() or self._fails(point)) or (
                        self.failure is not None)

    def _by_chance(self, left: int) -> bool:
        generator = random.Random(self.seed)
        for _ in range(left):
            if self.out_of_time():
                return False
            point = self.sizes.point([generator.choice(values)
                                      for values in self.sizes.values.values()])
            if self.sizes.holds(point) and self._is_affordable(point) and self._fails(point):
                return True
        return True

    def _fails(self, point: Point) -> bool:
        """Runs a point exactly, in other orders too where that can matter."""
        key = tuple(point.values())
        if key in self.known:
            return self.known[key].failure is not None
        shadow = (len(self.known) < _SHADOWED or
                  len(self.known) % 16 == 0) and (
            self.runs.operands.elements(point) <= _SHADOWED_ELEMENTS)
        outcome = self.runs.exact(point, shadow=shadow)
        if outcome.failure is not None and outcome.failure.kind == "numbers" and not shadow and (
                self.runs.operands.elements(point) <= self.most_elements // 8):
            outcome = self.runs.exact(point, shadow=True)  # rounding, or the kernel
        self.known[key] = outcome
        if outcome.failure is None:
            for order in self._other_orders(outcome):
                self.orders.add(order)
                other = self.runs.exact(point, order)
                if other.failure is not None:
                    self.known[key] = other
                    break
        self._learn(point, self.known[key])
        return self.failure is not None

    def _other_orders(self, outcome: Outcome) -> list[str]:
        """Those in which a run that was right is tried again: all at the first points, then one of
        each kind in turn."""
        kinds = [_ORDERS] * (outcome.regions > 0) + [_ORDERS_OF_CORES] * (outcome.cores > 1)
        many = len(self.known)
        return [order for kind in kinds
                for order in (kind if many <= 12 else kind[many % 3:many % 3 + 1])]

    def _fails_again(self, point: Point) -> Failure | None:
        if not self._is_affordable(point):
            return None
        key = tuple(point.values())
        if key not in self.known:
            assert self.failure is not None
            self.known[key] = self.runs.exact(point, self.failure.order,
                                              shadow=bool(self.failure.blame))
        return self.known[key].failure

    def _learn(self, point: Point, outcome: Outcome) -> None:
        self.failure = outcome.failure
        course = self.swept.courses.get(tuple(point.values()))
        if outcome.failure is None and course not in (None, hash(outcome.course)):
            self.differs = True
        self.functions.update(outcome.functions)
        for name, accuracy in outcome.accuracy.items():
            self._keep_worst(name, accuracy, point)
        volume = self.runs.operands.elements(point)
        if outcome.modelled and (self.largest is None or volume > self.largest[0]):
            self.largest = volume, point, outcome

    def _keep_worst(self, name: str, accuracy: Accuracy, point: Point) -> None:
        kept = self.worst.setdefault(name, {"ulp": -1.0, "relative": -1.0, "rounding": None,
                                            "computed": None, "at": ""})
        if accuracy.relative > kept["relative"]:
            kept["relative"], kept["at"] = accuracy.relative, size_text(point)
        kept["ulp"] = max(kept["ulp"], accuracy.ulp)
        for part in ("rounding", "computed"):
            value = getattr(accuracy, part)
            if value is not None:
                kept[part] = value if kept[part] is None else max(kept[part], value)

    # ---- the answer -------------------------------------------------------------------------------

    def _answer(self, verdict: str, swept: Sweep, failures: Sequence[Failure] = (),
                sure: bool = False, why: str = "") -> Verdict:
        compared = len(self.known)
        return Verdict(
            verdict, self.runs.chip, self.runs.kernel, self.sizes.text(), list(failures), sure,
            {"holds": "all" if swept.complete and not failures and not self.differs else "some",
             "points": swept.points, "of": self.sizes.count,
             "by": "each ran dry", "looks_at_data": self.differs},
            {"points": compared, "of": self.sizes.count, "drawn_by": self.drawn_by,
             "orders": sorted(self.orders)},
            self.worst, self.runs.judgement.tolerance, _evidence(self.runs.chip, self.functions),
            self._time(), why)

    def _time(self) -> dict[str, Any]:
        if self.largest is None:
            return {}
        _, point, outcome = self.largest
        modelled, step = outcome.modelled, outcome.modelled["next"]
        return {
            **{name: modelled[name] for name in ("us", "us_at_most", "calibrated", "bound_by")},
            "sizes": point,
            "text": tr("{:.1f} us modelled at {}, bound by {}", modelled["us"], size_text(point),
                       modelled["bound_by"]),
            "next": "" if step is None else
            tr("{} (to win: {:.1f} us)", step["help"], step["alone_us"])}


def _evidence(chip: str, functions: Iterable[str]) -> dict[str, list[str]]:
    """What the results of functions rest on, as `tensorlane ops` says it."""
    known = {each["name"]: each["evidence"] for each in json.loads(_native.ops(chip))}
    said: dict[str, list[str]] = {}
    for name in sorted(functions):
        if known.get(name):
            said.setdefault(known[name], []).append(name)
    return said
