/* SPDX-License-Identifier: MIT */
/* The models, their scenarios, and the parts of each that can be left out. */
#ifndef WW_TESTS_MODEL_MODELS_H
#define WW_TESTS_MODEL_MODELS_H

#include "model/explore.h"

enum {
	AS_DESIGNED,
	/* rearm.c */
	NO_BARRIER,
	NO_MARK_CHECK,
	NO_PENDING_CHECK,
	NO_BOUND_CHECK,
	MAY_MOVE_CLOSER,
	ABOVE_DEADLINE_ONLY,
	NO_LOCKED_DEADLINE,
	EQUAL_UNCHECKED,
	MARK_LAST,
	MARK_AFTER_BARRIER,
	NO_MARK_WITHOUT_BARRIER,
	CLEARS_MARK_FIRST,
	SHARES_A_BARRIER_THAT_BEGAN,
	MARK_BY_STORE,
	COUNT_BEFORE_MARK,
	EXCHANGE_BY_STORE,
	EXCHANGE_UNCHECKED,
	OVER_AT_ITS_RETURN,
	/* delete.c */
	TWO_LOADS_WORD_FIRST,
	TWO_LOADS_RUNNING_FIRST,
	NO_GENERATION,
	RUNNING_AFTER_PENDING,
	MOVES_WHILE_RUNNING,
	RUNNING_CLEARED_EARLY,
	WAITERS_UNSEEN,
	/* reopen.c */
	OPENS_AT_ONCE,
	OPENS_AFTER_ONE_BARRIER,
	STAMP_BEFORE_WORD,
};

extern const struct m_scenario m_rearm_scenarios[];
extern const struct m_scenario m_delete_scenarios[];
extern const struct m_scenario m_share_scenarios[];
extern const struct m_scenario m_exchange_scenarios[];
extern const struct m_scenario m_reopen_scenarios[];
extern const struct m_scenario m_limit_scenarios[];
extern const struct m_scenario m_within_limit_scenarios[];

#endif
