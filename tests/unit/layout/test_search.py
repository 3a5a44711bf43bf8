"""The search over shapes: values compared goal by goal, bounds that hold, and stops."""

from __future__ import annotations

import random

import pytest

from fabric.errors import InfeasibleError, LimitReachedError
from fabric.layout.search import Rules, Stop, search
from fabric.layout.waiting import Bounds
from fabric.model.outline import Outline

BOUNDED = Bounds(lambda each: each[0])
"""The bound of a shape that is (bound, value)."""


def found(shapes, work_limit=99, go_on=lambda _: True):
    """Search over `shapes`, each (bound, value)."""
    return search([shapes], BOUNDED, lambda each: (each[1], each[0], each), Stop(work_limit, go_on))


@pytest.mark.parametrize("seed", range(60))
def test_best_value_and_a_bound_below_every_shape(seed):
    """The least value of all goal by goal; under any limit the bound is no more than any shape's value."""
    rng = random.Random(seed)  # noqa: S311 -- a test's dice
    shapes = []
    for _ in range(rng.randint(1, 9)):
        bound = tuple(rng.randint(0, 3) for _ in range(2))
        shapes.append((bound, tuple(low + rng.randint(0, 2) for low in bound)))
    least = min(value for _, value in shapes)
    whole = found(shapes)
    assert whole.value == least
    assert whole.bound <= least
    assert whole.left_open == 0
    short = found(shapes, work_limit=1)
    assert short.laid_out == 1
    assert short.bound <= least <= short.value


def test_equals_by_the_first_goal_are_told_apart_by_the_second():
    """3 before 4 among those of 7, whatever is less by the second elsewhere."""
    assert found([((7, 1), (7, 4)), ((7, 1), (7, 3)), ((8, 0), (8, 0))]).value == (7, 3)


def test_a_bound_above_the_value_is_an_error_in_every_goal():
    """A proof that its own design belies ends the run."""
    with pytest.raises(ArithmeticError, match="exceeds the value"):
        found([((1, 5), (2, 4))])


def test_refusal_ends_the_search_with_the_best_so_far():
    """The second shape is left open and stays in the bound; what was asked saw incumbent and bound."""
    seen = []

    def once(standing):
        seen.append(standing)
        return standing.value is None

    outcome = found([((1,), (9,)), ((2,), (2,)), ((9,), (9,))], go_on=once)
    assert (outcome.value, outcome.bound, outcome.laid_out, outcome.left_open) == ((9,), (1,), 1, 1)
    assert [(each.done, each.value, each.bound) for each in seen] == [(0, None, (1,)), (1, (9,), (1,))]


def rivalled(shapes, rival):
    """Search over `shapes`, each (bound, value), beside one that found `rival`."""
    return search([shapes], BOUNDED, lambda each: (each[1], each[0], each), Stop(99, rival=(rival,)))


@pytest.mark.parametrize("seed", range(60))
def test_what_two_searches_find_is_the_best_of_both(seed):
    """The second knows the value of the first; the least of both bounds holds for every shape of either."""
    rng = random.Random(seed)  # noqa: S311 -- a test's dice
    both = [[((low,), (low + rng.randint(0, 3),)) for low in rng.sample(range(9), 3)] for _ in range(2)]
    first = found(both[0])
    second = rivalled(both[1], first.value[0])
    least = min(value for shapes in both for _, value in shapes)
    assert min(first.value, second.value) == least
    assert min(first.bound, second.bound) <= least
    assert second.bound <= min(value for _, value in both[1])


def test_a_search_that_cannot_win_lays_out_one_shape():
    """Nothing below the rival's value is left once there is something to show."""
    outcome = rivalled([((5,), (9,)), ((6,), (7,)), ((7,), (7,))], 4)
    assert (outcome.value, outcome.laid_out, outcome.bound) == ((9,), 1, (4,))
    assert rivalled([((3,), (9,)), ((3,), (7,)), ((4,), (4,))], 4).laid_out == 2


def test_an_answer_that_breaks_every_rule_says_so():
    """The best of the rest is marked."""
    broken = search([[((1,), (2,))]], BOUNDED, lambda each: (each[1], each[0], each), rules=Rules(after=lambda _: "no"))
    assert broken.breaks_rules
    assert not found([((1,), (2,))]).breaks_rules


def test_no_shape_in_time_is_no_proof():
    """Exit code 4, not 3; the limit is named with what it leaves open."""
    with pytest.raises(LimitReachedError, match="within the limit, which leaves 1 open; allow more"):
        found([((1,), (1,))], go_on=lambda _: False)


def test_no_limit_is_blamed_where_every_shape_was_tried():
    """Both shapes were looked at, and no places were found for them: no limit was reached that more work would move."""

    def lost(shape):
        raise LimitReachedError(f"no places found for shape {shape}")

    with pytest.raises(LimitReachedError, match="no places found for shape 1") as error:
        search([[1, 2]], Bounds(lambda shape: (shape,)), lost)
    assert "limit" not in str(error.value)
    with pytest.raises(LimitReachedError, match="leaves 1 open"):
        search([[1, 2]], Bounds(lambda shape: (shape,)), lost, Stop(1))


def test_all_refused_is_a_proof():
    """Exit code 3 with the reason of the first."""

    def refuse(shape):
        raise InfeasibleError(f"shape {shape}")

    with pytest.raises(InfeasibleError, match="shape 1"):
        search([[1, 2]], Bounds(refuse), lambda each: ((0,), (0,), each))


def test_the_reason_is_that_of_the_most_promising():
    """Shape 1 has no bound and shape 2 a lower one than 3: the search ends with why 2 cannot be laid out."""

    def bound(shape):
        if shape == 1:
            raise InfeasibleError("no part")
        return (shape,)

    def refuse(shape):
        raise InfeasibleError(f"shape {shape} is out of reach")

    with pytest.raises(InfeasibleError, match="shape 2 is out of reach"):
        search([[1, 3, 2]], Bounds(bound), refuse)


def judged(shapes, *, before=(), after=(), work_limit=99):
    """Search over `shapes`, each (bound, value), some of which break a rule before or after they are laid out."""
    rules = Rules(lambda each: "slow" if each in before else None, lambda each: "dear" if each in after else None)
    return search([shapes], BOUNDED, lambda each: (each[1], each[0], each), Stop(work_limit), rules)


A, B, C = ((1,), (2,)), ((3,), (4,)), ((5,), (6,))


def test_a_shape_that_breaks_a_rule_is_passed_over_with_its_reason():
    """The dearest is taken, for the others break a rule; one refused before costs no layout and leaves the bound."""
    outcome = judged([A, B, C], before=[A], after=[B])
    assert (outcome.shape, outcome.laid_out, outcome.bound) == (C, 2, (3,))
    assert [(each.shape, each.value, each.why_not) for each in outcome.others] == [(B, (4,), "dear"), (A, None, "slow")]


def test_where_all_break_a_rule_the_best_of_them_is_taken():
    """What was laid out comes before what was refused; what is taken is no alternative to itself."""
    outcome = judged([A, B, C], before=[A], after=[B, C])
    assert (outcome.shape, outcome.value, outcome.bound) == (B, (4,), (1,))
    assert [each.shape for each in outcome.others] == [C, A]
    outcome = judged([A, B], before=[A, B])
    assert (outcome.shape, outcome.laid_out, [each.shape for each in outcome.others]) == (A, 1, [B])


def test_a_shape_that_breaks_a_rule_rules_out_no_other():
    """The value 2 that breaks a rule is below the bound 3 of the shape that holds it."""
    assert judged([A, B], after=[A]).shape == B


def test_refusal_brings_shapes_that_are_no_use_without_it():
    """The shape in the first one's stead is looked at once that is refused, each shape once, and never without."""
    for before, expected, laid_out in (([A], B, 1), ([], A, 1)):
        rules = Rules(before=lambda each, slow=before: "slow" if each in slow else None, instead=lambda: [(A, B, C)])
        outcome = search([[A, C]], BOUNDED, lambda each: (each[1], each[0], each), rules=rules)
        assert (outcome.shape, outcome.laid_out, len(outcome.others)) == (expected, laid_out, len(before) + 1)


def test_dear_bounds_are_computed_for_the_most_promising_alone():
    """Of shapes with cheap bounds 1, 2 and 8 the dear bound of the last is never asked, for the best is worth 7."""
    shapes = {"a": (1, 9, 9), "b": (2, 5, 7), "c": (8, 8, 8)}
    asked = []

    def dear(shape):
        asked.append(shape)
        return (shapes[shape][1],)

    outcome = search(
        [shapes],
        Bounds(lambda shape: (shapes[shape][0],), (dear,)),
        lambda shape: ((shapes[shape][2],), (shapes[shape][1],), shape),
    )
    assert (outcome.shape, outcome.bound, outcome.laid_out, asked) == ("b", (5,), 1, ["a", "b"])
    assert [(each.shape, each.bound) for each in outcome.others] == [("c", (8,)), ("a", (9,))]


def test_a_later_bound_never_lowers_an_earlier_one():
    """Goal by goal the higher of both counts."""
    outcome = search([["a"]], Bounds(lambda _: (4, 1), (lambda _: (2, 3),)), lambda _: ((4, 3), (0, 0), None))
    assert outcome.bound == (4, 3)


def test_a_later_bound_may_prove_a_shape_impossible():
    """Shape a promises most until its second bound refuses it; it stays named with the reason."""

    def dear(shape):
        if shape == "a":
            raise InfeasibleError("no room")
        return (2,)

    outcome = search([["a", "b"]], Bounds(lambda shape: (ord(shape) - 97,), (dear,)), lambda shape: ((2,), (2,), shape))
    assert (outcome.shape, outcome.bound) == ("b", (2,))
    assert [(each.shape, each.why_not) for each in outcome.others] == [("a", "no room")]


@pytest.mark.parametrize("seed", range(40))
def test_of_shapes_alike_one_is_laid_out_and_the_rest_change_nothing(seed):
    """Classes of shapes that differ by switches alone: the best and its bound are those of laying out every one."""
    rng = random.Random(seed)  # noqa: S311 -- a test's dice
    links = {name: (least := rng.randint(0, 5), least + rng.randint(0, 3)) for name in "pqr"}
    shapes = [(rng.choice("pqr"), rng.randint(0, 6), index) for index in range(rng.randint(2, 9))]

    def bound(shape):
        return (shape[1] + links[shape[0]][0],)

    def realise(shape):
        return (shape[1] + links[shape[0]][1],), bound(shape), shape

    whole = search([shapes], Bounds(bound), realise)
    quick = search([shapes], Bounds(bound), realise, rules=Rules(alike=lambda shape: shape[0]))
    assert quick.value == whole.value
    assert quick.bound <= whole.bound <= whole.value
    assert quick.laid_out <= len({shape[0] for shape in shapes})
    assert len(quick.others) == len(shapes) - 1
    assert all(each.bound <= realise(each.shape)[0] for each in quick.others)


def test_a_shape_that_breaks_a_rule_leaves_its_likes_open():
    """The cheaper of two alike breaks a limit, so the dearer one is laid out."""
    rules = Rules(after=lambda shape: "dear" if shape == A else None, alike=lambda _: 0)
    outcome = search([[A, B]], BOUNDED, lambda each: (each[1], each[0], each), rules=rules)
    assert (outcome.shape, outcome.laid_out) == (B, 2)


def looked_again(shapes, again):
    """Search over `shapes`, each (bound, value); a second look finds (bound, value) `again`. And the looks counted."""
    asked = []

    def thoroughly(shape, _):
        asked.append(shape)
        return again[1], again[0], "again"

    outcome = search([shapes], BOUNDED, lambda each: (each[1], each[0], "once"), thoroughly=thoroughly)
    return outcome, len(asked)


def test_dear_bounds_are_asked_of_few_shapes_that_a_limit_leaves_out():
    """All are counted as open, and the bound is that of the first, as if each had been bounded dearly."""
    asked = []

    def dear(shape):
        asked.append(shape)
        return (shape[0][0] + 5,)

    shapes = [((low,), (999,)) for low in range(100)]
    bounds = Bounds(lambda each: each[0], (dear,))
    outcome = search([shapes], bounds, lambda each: (each[1], each[0], each), Stop(1))
    assert (outcome.bound, outcome.laid_out, outcome.left_open) == ((5,), 1, 99)
    assert len(asked) < 40


def test_the_best_is_looked_at_again_where_it_leaves_the_gap():
    """A better value and a higher bound take the place of the first ones."""
    outcome, times = looked_again([((3,), (9,)), ((8,), (8,))], ((6,), (7,)))
    assert (outcome.value, outcome.bound, outcome.result, times) == ((8,), (3,), "once", 0)
    outcome, times = looked_again([((3,), (9,)), ((10,), (12,))], ((6,), (7,)))
    assert (outcome.value, outcome.bound, outcome.result, times) == ((7,), (6,), "again", 1)


def test_what_is_proved_is_not_looked_at_again():
    """Neither an optimum nor a gap that another shape leaves asks for more work."""
    assert looked_again([((5,), (5,))], ((5,), (5,)))[1] == 0
    assert looked_again([((4,), (5,)), ((3,), (6,))], ((5,), (5,)))[1] == 0


def test_a_second_look_that_finds_worse_changes_nothing():
    """A dearer layout stays out, whatever its bound says."""
    outcome, times = looked_again([((3,), (9,))], ((9,), (10,)))
    assert (outcome.value, outcome.bound, outcome.result, times) == ((9,), (3,), "once", 1)


OUTLINED = Bounds(lambda each: (each.leaves_total,) if isinstance(each, Outline) else each[0])
"""The same, and of an outline its leaves."""


def outlined(shapes, read):
    """A listing of `shapes`, each (bound, value), an outline before each; the least of those listed goes to `read`."""
    for index, shape in enumerate(shapes):
        least = min(each[0][0] for each in shapes[index:])
        yield Outline("leaf", None, least, 0, 0)
        read.append(least)
        yield shape


@pytest.mark.parametrize("seed", range(60))
def test_listings_are_read_only_as_far_as_they_may_hold_the_best(seed):
    """The same shapes laid out as of full lists, equals in the same order; what an outline rules out is not listed."""
    rng = random.Random(seed)  # noqa: S311 -- a test's dice
    listings = [[((9,), (rng.randint(9, 12),))]]
    for _ in range(rng.randint(1, 6)):
        lowers = [rng.randint(0, 9) for _ in range(rng.randint(0, 9))]
        listings.append([((low,), (low + rng.randint(0, 4),)) for low in lowers])

    def run(lists):
        taken = []
        outcome = search(lists, OUTLINED, lambda each: (taken.append(each), (each[1], each[0], each))[1], Stop(99))
        return outcome.value[0], outcome.shape, outcome.bound, taken

    read = []
    best, *whole = run(listings)
    assert run([outlined(listing, read) for listing in listings]) == (best, *whole)
    every = []
    for listing in listings:
        list(outlined(listing, every))
    assert max(read) <= best
    assert sorted(least for least in read if least < best) == sorted(least for least in every if least < best)


def test_an_outline_that_cannot_win_is_remembered_if_asked():
    """The dear half of a listing is read when it belongs among those that lost, and not otherwise."""
    for remembers, expected in ((lambda *_: False, [1]), (lambda *_: True, [1, 3, 5])):
        read = []
        listing, rules = outlined([A, B, C], read), Rules(remembers=remembers)
        outcome = search([listing], OUTLINED, lambda each: (each[1], each[0], each), rules=rules)
        assert (outcome.shape, read, len(outcome.others)) == (A, expected, len(expected) - 1)


def test_a_listing_read_on_keeps_its_place_among_equals():
    """Of equals the first listing's comes first, though it was still to be read when the other's was known."""
    first, second = ((3,), (3,)), ((3,), (3,), "second")
    outcome = search([outlined([first], []), [second]], OUTLINED, lambda each: (each[1], each[0], each))
    assert outcome.shape == first
