/* SPDX-License-Identifier: MIT */
/*
 * The models of the subtle protocols, explored whole: as designed nothing is found, and each of
 * the broken variants is. "WW_MODEL_TRACE=1 model_test NAME" prints how a failure comes about.
 */
#include "tap.h"

#include "model/models.h"

/* The largest take half a minute on a loaded machine. */
#define MODEL(name) TEST_LIMIT(name, 300)

static void holds(const struct m_scenario *s)
{
	for (; s->model; s++) {
		struct m_result r = m_explore(s, AS_DESIGNED, stderr);

		CHECK_MSG(!r.error, "%s, %s: %s", s->model->name, s->name, r.error);
		CHECK(r.states > 100);
		tap_note("%s, %s: %" PRIu64 " states", s->model->name, s->name, r.states);
	}
}

static void is_found(const struct m_scenario *s, int bug)
{
	FILE *trace = getenv("WW_MODEL_TRACE") ? stdout : NULL;

	for (; s->model; s++) {
		struct m_result r = m_explore(s, bug, trace);

		if (!r.error)
			continue;
		tap_note("%s: %s", s->name, r.error);
		return;
	}
	tap_fail(__FILE__, __LINE__, "no scenario finds the fault");
}

#define FOUND(scenarios, bug, test)                                                                \
	MODEL(test)                                                                                \
	{                                                                                          \
		is_found(scenarios, bug);                                                          \
	}

MODEL(rearming_by_a_store_loses_nothing)
{
	holds(m_rearm_scenarios);
	holds(m_share_scenarios);
	holds(m_exchange_scenarios);
}

FOUND(m_rearm_scenarios, NO_BARRIER, rearm_without_the_barrier_fails)
FOUND(m_rearm_scenarios, NO_MARK_CHECK, rearm_without_looking_at_the_mark_fails)
FOUND(m_rearm_scenarios, NO_PENDING_CHECK, rearm_without_looking_at_the_word_fails)
FOUND(m_rearm_scenarios, NO_BOUND_CHECK, rearm_without_looking_at_the_filed_bound_fails)
FOUND(m_rearm_scenarios, MAY_MOVE_CLOSER, rearm_that_moves_closer_by_a_store_fails)
FOUND(m_rearm_scenarios, ABOVE_DEADLINE_ONLY, rearm_that_compares_with_the_deadline_only_fails)
FOUND(m_rearm_scenarios, NO_LOCKED_DEADLINE, rearm_without_a_deadline_kept_under_the_lock_fails)
FOUND(m_rearm_scenarios, EQUAL_UNCHECKED, rearm_to_the_same_deadline_unchecked_fails)
FOUND(m_rearm_scenarios, MARK_LAST, rearm_that_looks_at_the_mark_last_fails)
FOUND(m_rearm_scenarios, MARK_AFTER_BARRIER, sweep_that_marks_after_its_barrier_fails)
FOUND(m_rearm_scenarios, NO_MARK_WITHOUT_BARRIER, sweep_that_marks_only_with_a_barrier_fails)
FOUND(m_rearm_scenarios, CLEARS_MARK_FIRST, sweep_that_clears_its_mark_first_fails)
FOUND(m_share_scenarios, SHARES_A_BARRIER_THAT_BEGAN, sweep_that_shares_a_barrier_which_began_fails)
FOUND(m_share_scenarios, MARK_BY_STORE, sweep_that_marks_by_a_store_and_shares_a_barrier_fails)
FOUND(m_share_scenarios, COUNT_BEFORE_MARK, sweep_that_counts_barriers_before_it_marks_fails)
FOUND(m_exchange_scenarios, EXCHANGE_BY_STORE, exchanges_that_are_stores_fail)
FOUND(m_exchange_scenarios, EXCHANGE_UNCHECKED, exchanges_that_do_not_look_at_the_mark_after_fail)
/* Not a fault but the limit of what is promised: over is a call whose stores have arrived. */
FOUND(m_rearm_scenarios, OVER_AT_ITS_RETURN, rearm_by_who_has_only_returned_is_not_over)

/* The limit that the header states: it takes three calls, and two never come to it. */
FOUND(m_limit_scenarios, AS_DESIGNED, three_racing_calls_may_bring_a_run_at_a_superseded_deadline)
MODEL(two_racing_calls_never_bring_a_run_at_a_superseded_deadline)
{
	holds(m_within_limit_scenarios);
}

MODEL(a_closed_timer_opens_when_old_stores_have_arrived)
{
	holds(m_reopen_scenarios);
}

FOUND(m_reopen_scenarios, OPENS_AT_ONCE, a_closed_timer_that_opens_at_once_fails)
FOUND(m_reopen_scenarios, OPENS_AFTER_ONE_BARRIER,
      a_closed_timer_that_opens_after_one_barrier_fails)
FOUND(m_reopen_scenarios, STAMP_BEFORE_WORD, a_closed_timer_stamped_before_its_word_fails)

MODEL(delete_by_three_loads_waits_for_the_callback)
{
	holds(m_delete_scenarios);
}

FOUND(m_delete_scenarios, TWO_LOADS_WORD_FIRST, delete_by_two_loads_word_first_fails)
FOUND(m_delete_scenarios, TWO_LOADS_RUNNING_FIRST, delete_by_two_loads_running_first_fails)
FOUND(m_delete_scenarios, NO_GENERATION, delete_without_the_generation_fails)
FOUND(m_delete_scenarios, RUNNING_AFTER_PENDING, running_published_after_pending_fails)
FOUND(m_delete_scenarios, MOVES_WHILE_RUNNING, a_timer_that_moves_while_running_fails)
FOUND(m_delete_scenarios, RUNNING_CLEARED_EARLY, running_cleared_before_the_callback_ends_fails)
FOUND(m_delete_scenarios, WAITERS_UNSEEN, a_waiter_announced_outside_the_lock_fails)
