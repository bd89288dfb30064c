"""The batched loops: written once, for every game. All arrays are filled in place, rows `[begin, end)` of them.

Letters: N tables, A actions (mask rows are padded to whole blocks of FLAGS), O observation entries, R dictated deals.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .chance import below, bits_of_bytes, byte_of_rank, count_before, num_bits
from .game import FREE
from .kernel import (
    FLAGS,
    WORD,
    apply,
    clear,
    deal,
    flags_of,
    inlined,
    kernel,
    legal_actions,
    observe,
    prefetch,
    prefetch_start,
    redeal_hidden,
)

CHUNK = 32  # tables whose records stay in the cache between the two passes
AHEAD = 4  # tables: a record is asked for so long before it is read
FORFEIT_REWARD = -1.0


class Dictated(NamedTuple):
    """Deals to come that were dictated: `rows` uint8 `[R, bytes]`, read-only, of which the first has number `first`."""

    rows: np.ndarray
    first: int


@kernel
def first_illegal(mask, num_actions, actions, where, begin, end):
    """The first table of those in `where` whose action isn't legal, or -1."""
    for i in range(begin, end):
        if where[i]:
            action = actions[i]
            if action < 0 or action >= num_actions or mask[i, action] == 0:
                return i
    return -1


@kernel
def step_tables(
    state,
    num_actions,
    actions,
    where,
    dictated,
    first_dictated,
    autoreset,
    ended_state,
    results,
    mask,
    observation,
    begin,
    end,
):
    """One decision at each table in `where`. Returns -1, or the first table with an illegal action: nothing is done."""
    wrong = first_illegal(mask, num_actions, actions, where, begin, end)
    if wrong >= 0:
        return wrong
    for start in range(begin, end, CHUNK):
        stop = min(start + CHUNK, end)
        for i in range(start, stop):
            prefetch(state[min(i + AHEAD, end - 1)])
            if where[i]:
                table = state[i]
                advance(table, actions[i], dictated, first_dictated)
                report_step(table, results[i])
                if table["current_player"] < 0 and autoreset:
                    ended_state[i] = table
                    begin_next_game(table, dictated, first_dictated)
                report_turn(table, results[i], mask[i])
        for i in range(start, stop):
            if where[i]:
                observe_turn(state[i], observation[i])
    return -1


@kernel
def sample_tables(state, results, mask, actions, begin, end):
    """A legal action for each table, drawn uniformly from its `choice`; -1 where the game is over."""
    for i in range(begin, end):
        prefetch_start(state[min(i + 2 * AHEAD, end - 1)])
        if results[i]["current_player"] < 0:
            actions[i] = -1
        else:
            actions[i], state[i]["choice"] = random_action(mask[i], state[i]["choice"])


@kernel
def begin_tables(
    state, where, blank, seeded, chance, choice, dictated, first_dictated, results, mask, observation, begin, end
):
    """A new game at each table in `where`, begun from the record `blank[0]`.

    A table keeps its random states, which are then noted in `chance` and `choice`, or gets those where it is `seeded`.
    """
    for i in range(begin, end):
        if where[i]:
            if not seeded[i]:
                chance[i] = state[i]["chance"]
                choice[i] = state[i]["choice"]
            state[i] = blank[0]
            state[i]["chance"] = chance[i]
            state[i]["choice"] = choice[i]
            begin_game(state[i], dictated, first_dictated)
            report_step(state[i], results[i])
            report_turn(state[i], results[i], mask[i])
            observe_turn(state[i], observation[i])


@kernel
def forfeit_tables(state, where, results, mask, observation, begin, end):
    """The seat to act gives the game up at each table in `where`."""
    for i in range(begin, end):
        if where[i]:
            forfeit(state[i])
            report_step(state[i], results[i])
            report_turn(state[i], results[i], mask[i])
            observe_turn(state[i], observation[i])


@kernel
def report_tables(state, where, results, mask, observation, begin, end):
    """Writes the rows of the tables in `where` anew, for records that something else has changed."""
    for i in range(begin, end):
        if where[i]:
            report_step(state[i], results[i])
            report_turn(state[i], results[i], mask[i])
            observe_turn(state[i], observation[i])


@kernel
def play_tables(
    state,
    num_steps,
    dictated,
    first_dictated,
    autoreset,
    ended_state,
    results,
    mask,
    observation,
    actions,
    returns,
    num_games,
    begin,
    end,
):
    """`num_steps` random decisions at each table, drawn from its `choice`. Adds up rewards and the games that ended.

    Table by table in a chunk: what one decision waits for is done while another one's is on its way.
    """
    for start in range(begin, end, CHUNK):
        stop = min(start + CHUNK, end)
        for _ in range(num_steps):
            sample_tables(state, results, mask, actions, start, stop)
            for i in range(start, stop):
                if actions[i] >= 0:
                    table = state[i]
                    advance(table, actions[i], dictated, first_dictated)
                    if is_paid(table):
                        for seat in range(len(table["rewards"])):
                            returns[i, seat] += table["rewards"][seat]
                    report_step(table, results[i])
                    if table["current_player"] < 0:
                        num_games[i] += 1
                        if autoreset:
                            ended_state[i] = table
                            begin_next_game(table, dictated, first_dictated)
                    report_turn(table, results[i], mask[i])
        for i in range(start, stop):
            observe_turn(state[i], observation[i])


@kernel
def play_until(state, seats, where, dictated, first_dictated, results, mask, observation, returns, begin, end):
    """Random decisions at each table in `where` until it is the turn of its seat in `seats`, or the game is over.

    Adds the rewards of those decisions to `returns`, float64 `[N, P]`.
    """
    for i in range(begin, end):
        if where[i]:
            table = state[i]
            while table["current_player"] >= 0 and table["current_player"] != seats[i]:
                random_step(table, mask[i], dictated, first_dictated)
                for seat in range(len(table["rewards"])):
                    returns[i, seat] += table["rewards"][seat]
                write_mask(table, mask[i])
            report_step(table, results[i])
            report_turn(table, results[i], mask[i])
            observe_turn(table, observation[i])


@kernel
def draw_seats(state, where, num_players, seats):
    """A seat for the learner at each table in `where`, drawn from its `choice`."""
    for i in range(len(state)):
        if where[i]:
            seats[i], state[i]["choice"] = below(state[i]["choice"], num_players)


@kernel
def count_rewards(rewards, where, seats, returns, unpaid):
    """Adds `rewards` `[N, n]` to `returns` at each table in `where`, and those of its seat in `seats` to `unpaid`."""
    for i in range(len(where)):
        if where[i]:
            unpaid[i] += rewards[i, seats[i]]
            for seat in range(returns.shape[1]):
                returns[i, seat] += rewards[i, seat]


@kernel
def observe_tables(state, seats, observation, begin, end):
    """What seat `seats[i]` sees at table i; `observation` holds zeros."""
    for i in range(begin, end):
        observe(state[i], seats[i], observation[i])


@kernel
def redeal_tables(
    state, seats, where, chance, choice, dictated, first_dictated, results, mask, observation, begin, end
):
    """Another world that seat `seats[i]` can't tell from this one, at each table in `where`; no deal stays dictated.

    It and its future follow from new random states, `chance` and `choice`.
    """
    for i in range(begin, end):
        if where[i]:
            state[i]["chance"] = chance[i]
            state[i]["choice"] = choice[i]
            forget_dictated(state[i], dictated, first_dictated)
            redeal_hidden(state[i], seats[i])
            report_turn(state[i], results[i], mask[i])
            observe_turn(state[i], observation[i])


# One table


@inlined
def advance(table, action, dictated, first_dictated):
    """One decision: the rules, then what holds in every game."""
    clear_rewards(table)
    table["decisions"] += 1
    apply(table, action)
    if table["current_player"] >= 0 and table["decisions"] >= table["max_decisions"]:
        table["truncated"] = 1
        table["current_player"] = -1
    if table["dictated_used"]:
        load_dictated(table, dictated, first_dictated)


@kernel
def begin_game(table, dictated, first_dictated):
    clear_rewards(table)
    table["decisions"] = 0
    table["terminated"] = 0
    table["truncated"] = 0
    table["winners"] = 0
    deal(table)
    if table["dictated_used"]:
        load_dictated(table, dictated, first_dictated)


@kernel
def begin_next_game(table, dictated, first_dictated):
    """The game after one that has ended; what was dictated for that one is not for this one."""
    table["next_dictated"] = table["end_dictated"]
    load_dictated(table, dictated, first_dictated)
    begin_game(table, dictated, first_dictated)


@kernel
def forfeit(table):
    """Ends the game: no winners, and nobody is paid but the seat to act."""
    clear_rewards(table)
    table["decisions"] += 1
    table["rewards"][int(table["current_player"])] = FORFEIT_REWARD
    table["terminated"] = 1
    table["current_player"] = -1


@kernel
def clear_rewards(table):
    for seat in range(len(table["rewards"])):
        table["rewards"][seat] = 0


@kernel
def is_paid(table):
    """Whether the step has brought a reward to anybody."""
    paid = False
    for seat in range(len(table["rewards"])):
        paid |= table["rewards"][seat] != 0
    return paid


@kernel
def load_dictated(table, dictated, first_dictated):
    """What is dictated of the deal after the one just dealt."""
    table["dictated_used"] = 0
    number = int(table["next_dictated"])
    if number < int(table["end_dictated"]):
        for i in range(len(table["dictated"])):
            table["dictated"][i] = dictated[number - first_dictated, i]
        table["next_dictated"] = number + 1
    else:
        for i in range(len(table["dictated"])):
            table["dictated"][i] = FREE


@kernel
def forget_dictated(table, dictated, first_dictated):
    """Leaves all later deals to the game's own rules."""
    table["next_dictated"] = 0
    table["end_dictated"] = 0
    load_dictated(table, dictated, first_dictated)


@inlined
def random_step(table, mask, dictated, first_dictated):
    """A decision drawn uniformly from the legal ones; `mask` holds those of the seat to act."""
    action, table["choice"] = random_action(mask, table["choice"])
    advance(table, action, dictated, first_dictated)


@inlined
def random_action(mask, state):
    """A uniformly drawn action of `mask`, which has one, and the next random state.

    The legal actions are counted, and the one of the drawn rank is found, with no branch on where they are.
    """
    num_legal = 0
    for start in range(0, len(mask), FLAGS):
        num_legal += num_bits(flags_of(mask, start))
    rank, state = below(state, num_legal)
    at, before, up_to = 0, 0, 0
    for start in range(FLAGS, len(mask), FLAGS):
        up_to += num_bits(flags_of(mask, start - FLAGS))
        at, before = (start, up_to) if up_to <= rank else (at, before)
    rank -= before
    counts = bits_of_bytes(flags_of(mask, at))
    byte = byte_of_rank(counts, rank)
    word = mask.view(np.uint64)[at // WORD + byte]
    return at + byte * WORD + byte_of_rank(word, rank - count_before(counts, byte)), state


@kernel
def write_mask(table, mask):
    clear(mask, 0, len(mask))
    if table["current_player"] >= 0:
        legal_actions(table, mask)


@kernel
def report_step(table, result):
    """What the step just made has brought."""
    for seat in range(len(table["rewards"])):
        result["rewards"][seat] = table["rewards"][seat]
    result["terminated"] = table["terminated"]
    result["truncated"] = table["truncated"]


@kernel
def report_turn(table, result, mask):
    """Who is to act, and how."""
    result["current_player"] = table["current_player"]
    write_mask(table, mask)


@kernel
def observe_turn(table, out):
    """What the seat to act sees; zeros when the game is over."""
    clear(out, 0, len(out))
    if table["current_player"] >= 0:
        observe(table, int(table["current_player"]), out)


def result_dtype(max_players: int) -> np.dtype:
    """What a step reports of a table, in one small record."""
    return np.dtype(
        [
            ("rewards", np.float32, (max_players,)),
            ("current_player", np.int8),
            ("terminated", np.bool_),
            ("truncated", np.bool_),
        ]
    )
