/* SPDX-License-Identifier: MIT */
/*
 * The protocols of src/thread, explored in full: sleep and wake, stop, the wait queue, the control
 * word of a transmit loop, parking, freezing. Each "good" one is the code, instruction by
 * instruction; each "bad" one leaves a single thing out and must be found.
 */
#include "model/program.h"
#include "tap.h"

/*
 * The state word: 1 and 2 sleeping, 4 dead, 8 freezable, 0x10 frozen, 0x20 woken while frozen,
 * 0x40 parked, 0x80 asleep in the system. Flags: 1 stop, 2 should park, 4 is parked.
 */

/* ww_schedule(), with the test of the stop flag where it is interruptible. L makes labels unique. */
#define GO_TO_SLEEP(L)                                                                             \
	"load r0 state\n"                                                                          \
	"jz r0 awake" L "\n"                                                                       \
	"set r1 r0\n"                                                                              \
	"ror r1 0x80\n"                                                                            \
	"cas r2 state r0 r1\n"                                                                     \
	"jeq r2 r0 said" L "\n"                                                                    \
	"jmp awake" L "\n"                                                                         \
	"said" L ":\n"
#define STAY_ASLEEP(L)                                                                             \
	"futex" L ":\n"                                                                            \
	"wait state r1\n"                                                                          \
	"load r1 state\n"                                                                          \
	"jnz r1 futex" L "\n"                                                                      \
	"awake" L ":\n"
#define SLEEP(L) GO_TO_SLEEP(L) STAY_ASLEEP(L)
#define SLEEP_INTERRUPTIBLY(L)                                                                     \
	GO_TO_SLEEP(L)                                                                             \
	"load r2 flags\n"                                                                          \
	"jclear r2 1 futex" L "\n"                                                                 \
	"store state 0\n"                                                                          \
	"jmp awake" L "\n" STAY_ASLEEP(L)

/* ww_wake_up_state(mask) */
#define WAKE(L, mask)                                                                              \
	"again" L ":\n"                                                                            \
	"load r0 state\n"                                                                          \
	"jtest r0 " mask " claim" L "\n"                                                           \
	"cas r1 state r0 r0\n"                                                                     \
	"jeq r1 r0 not" L "\n"                                                                     \
	"jmp again" L "\n"                                                                         \
	"claim" L ":\n"                                                                            \
	"cas r1 state r0 0\n"                                                                      \
	"jeq r1 r0 kick" L "\n"                                                                    \
	"jmp again" L "\n"                                                                         \
	"kick" L ":\n"                                                                             \
	"jclear r0 0x80 not" L "\n"                                                                \
	"wake state\n"                                                                             \
	"not" L ":\n"

/* Sleep and wake. */
#define SLEEPER                                                                                    \
	"again:\n"                                                                                 \
	"xchg r0 state 1\n"                                                                        \
	"load r0 cond\n"                                                                           \
	"jnz r0 done\n" SLEEP("") "jmp again\n"                                                    \
				  "done:\n"                                                        \
				  "store state 0\n"                                                \
				  "end\n"
#define WAKER "store cond 1\n" WAKE("", "3") "end\n"

static const struct x_model good[] = {
	{"sleep and wake", {SLEEPER, WAKER}, NULL, "state=0 cond=1"},
	{"sleep and two who wake", {SLEEPER, WAKER, WAKE("", "3") "end\n"}, NULL, "state=0 cond=1"},
	{"two who must both be heard",
	 {"again:\n"
	  "xchg r0 state 1\n"
	  "load r0 cond\n"
	  "jz r0 sleep\n"
	  "load r0 second\n"
	  "jnz r0 done\n"
	  "sleep:\n" SLEEP("") "jmp again\n"
			       "done:\n"
			       "store state 0\n"
			       "end\n",
	  WAKER, "store second 1\n" WAKE("", "3") "end\n"},
	 NULL,
	 "state=0"},
};

static const struct x_model bad[] = {
	{"the test before the state",
	 {"again:\n"
	  "load r0 cond\n"
	  "jnz r0 done\n"
	  "xchg r0 state 1\n" SLEEP("") "jmp again\n"
					"done:\n"
					"store state 0\n"
					"end\n",
	  WAKER},
	 NULL,
	 NULL},
	{"no barrier between the state and the test",
	 {"again:\n"
	  "store state 1\n"
	  "load r0 cond\n"
	  "jnz r0 done\n" SLEEP("") "jmp again\n"
				    "done:\n"
				    "store state 0\n"
				    "end\n",
	  WAKER},
	 NULL,
	 NULL},
	{"no barrier between the condition and the look at the state",
	 {SLEEPER, "store cond 1\n"
		   "load r0 state\n"
		   "jz r0 none\n" WAKE("", "3") "none:\n"
						"end\n"},
	 NULL,
	 NULL},
	{"a sleep on whatever the word is by then",
	 {"again:\n"
	  "xchg r0 state 1\n"
	  "load r0 cond\n"
	  "jnz r0 done\n" GO_TO_SLEEP("") "load r1 state\n" STAY_ASLEEP("") "jmp again\n"
									    "done:\n"
									    "store state 0\n"
									    "end\n",
	  WAKER},
	 NULL,
	 NULL},
};

/* Stop. The first sleeper tests the flag itself; the second is ww_wait_event_interruptible(). */
#define TESTS_STOP                                                                                 \
	"again:\n"                                                                                 \
	"xchg r0 state 1\n"                                                                        \
	"load r0 flags\n"                                                                          \
	"jtest r0 1 done\n" SLEEP("") "jmp again\n"                                                \
				      "done:\n"                                                    \
				      "store state 0\n"                                            \
				      "end\n"
#define WAITS_INTERRUPTIBLY(how)                                                                   \
	"again:\n"                                                                                 \
	"load r0 flags\n"                                                                          \
	"jtest r0 1 done\n"                                                                        \
	"xchg r0 state 1\n"                                                                        \
	"load r0 cond\n"                                                                           \
	"jnz r0 done\n" how "jmp again\n"                                                          \
	"done:\n"                                                                                  \
	"store state 0\n"                                                                          \
	"end\n"
#define STOPPER "or r0 flags 1\n" WAKE("s", "3") "end\n"

static const struct x_model stop_good[] = {
	{"stop of a loop that tests for it", {TESTS_STOP, STOPPER}, NULL, "state=0"},
	{"stop beside an idle wake-up",
	 {TESTS_STOP, STOPPER, WAKE("", "3") "end\n"},
	 NULL,
	 "state=0"},
	{"stop of an interruptible wait",
	 {WAITS_INTERRUPTIBLY(SLEEP_INTERRUPTIBLY("")), STOPPER, WAKE("", "3") "end\n"},
	 NULL,
	 "state=0"},
	{"stop beside the event",
	 {WAITS_INTERRUPTIBLY(SLEEP_INTERRUPTIBLY("")), STOPPER, WAKER},
	 NULL,
	 "state=0"},
};

static const struct x_model stop_bad[] = {
	{"the flag after the wake-up",
	 {TESTS_STOP, WAKE("s", "3") "or r0 flags 1\nend\n"},
	 NULL,
	 NULL},
	{"an interruptible sleep that does not look again",
	 {WAITS_INTERRUPTIBLY(SLEEP("")), STOPPER},
	 NULL,
	 NULL},
	{"a stop flag set by load and store beside another flag",
	 {TESTS_STOP,
	  "load r0 flags\n"
	  "ror r0 1\n"
	  "store flags r0\n" WAKE("s", "3") "end\n",
	  "load r0 flags\n"
	  "ror r0 8\n"
	  "store flags r0\n"
	  "end\n"},
	 NULL,
	 NULL},
};

/* A wait queue with one waiter: who waits is "first". */
#define QUEUE_AND_SAY                                                                              \
	"lock qlock\n"                                                                             \
	"store first 1\n"                                                                          \
	"xchg r0 state 1\n"                                                                        \
	"unlock qlock\n"
#define FINISH_WAIT(L)                                                                             \
	"store state 0\n"                                                                          \
	"load r0 first\n"                                                                          \
	"jz r0 off" L "\n"                                                                         \
	"lock qlock\n"                                                                             \
	"store first 0\n"                                                                          \
	"unlock qlock\n"                                                                           \
	"off" L ":\n"
/* ww_wake_up(): claimed and unlinked under the lock, kicked after it. */
#define WAKE_QUEUE(L)                                                                              \
	"lock qlock\n"                                                                             \
	"load r0 first\n"                                                                          \
	"jz r0 unlock" L "\n"                                                                      \
	"again" L ":\n"                                                                            \
	"load r0 state\n"                                                                          \
	"jtest r0 3 claim" L "\n"                                                                  \
	"cas r1 state r0 r0\n"                                                                     \
	"jeq r1 r0 unlock" L "\n"                                                                  \
	"jmp again" L "\n"                                                                         \
	"claim" L ":\n"                                                                            \
	"cas r1 state r0 0\n"                                                                      \
	"jeq r1 r0 got" L "\n"                                                                     \
	"jmp again" L "\n"                                                                         \
	"got" L ":\n"                                                                              \
	"release first 0\n"                                                                        \
	"unlock qlock\n"                                                                           \
	"jclear r0 0x80 out" L "\n"                                                                \
	"wake state\n"                                                                             \
	"jmp out" L "\n"                                                                           \
	"unlock" L ":\n"                                                                           \
	"unlock qlock\n"                                                                           \
	"out" L ":\n"
#define WAITER                                                                                     \
	"again:\n" QUEUE_AND_SAY "load r0 cond\n"                                                  \
	"jnz r0 done\n" SLEEP("") "jmp again\n"                                                    \
				  "done:\n" FINISH_WAIT("") "end\n"

static const struct x_model queue_good[] = {
	{"a wait queue",
	 {WAITER, "store cond 1\n" WAKE_QUEUE("") "end\n"},
	 NULL,
	 "state=0 first=0"},
	{"a wait queue with two wakers",
	 {WAITER, "store cond 1\n" WAKE_QUEUE("") "end\n", WAKE_QUEUE("") "end\n"},
	 NULL,
	 "state=0 first=0"},
};

static const struct x_model queue_bad[] = {
	{"a look for waiters without the lock or a barrier",
	 {WAITER, "store cond 1\n"
		  "load r0 first\n"
		  "jz r0 none\n" WAKE_QUEUE("") "none:\n"
						"end\n"},
	 NULL,
	 NULL},
	{"a waiter that tests before it queues",
	 {"again:\n"
	  "load r0 cond\n"
	  "jnz r0 done\n" QUEUE_AND_SAY SLEEP("") "jmp again\n"
						  "done:\n" FINISH_WAIT("") "end\n",
	  "store cond 1\n" WAKE_QUEUE("") "end\n"},
	 NULL,
	 NULL},
};

/*
 * The transmit loop. Bits: 1 run, 2 halt, 4 another. r3 says whether it runs. A burst that begins
 * after the halt was posted is counted in "late": one may be on its way, not two.
 */
#define TRANSMIT(test, clear)                                                                      \
	"loop:\n"                                                                                  \
	"load r0 flags\n"                                                                          \
	"jtest r0 1 ended\n"                                                                       \
	"jnz r3 burst\n"                                                                           \
	"wait:\n"                                                                                  \
	"load r0 flags\n"                                                                          \
	"jtest r0 1 waited\n" test "jnz r0 waited\n" SLEEP_INTERRUPTIBLY(                          \
		"") "jmp wait\n"                                                                   \
		    "waited:\n" FINISH_WAIT("") "jmp look\n"                                       \
						"burst:\n"                                         \
						"load r0 halted\n"                                 \
						"jz r0 look\n"                                     \
						"inc late\n"                                       \
						"mustle late 1\n"                                  \
						"look:\n"                                          \
						"load r0 word\n"                                   \
						"jz r0 loop\n" clear "jclear r0 4 no4\n"           \
						"ghost got4 1\n"                                   \
						"no4:\n"                                           \
						"jclear r0 1 norun\n"                              \
						"set r3 1\n"                                       \
						"norun:\n"                                         \
						"jclear r0 2 loop\n"                               \
						"set r3 0\n"                                       \
						"jmp loop\n"                                       \
						"ended:\n"                                         \
						"end\n"
#define QUEUE_THEN_TEST QUEUE_AND_SAY "or r0 word 0\n"
#define TAKE		"and r0 word 0xf8\n"
#define TAKE_IN_TWO_STEPS                                                                          \
	"load r0 word\n"                                                                           \
	"set r1 r0\n"                                                                              \
	"rand r1 0xf8\n"                                                                           \
	"store word r1\n"
/* ww_control_post() */
#define POST(L, bit)                                                                               \
	"or r0 word " bit "\n"                                                                     \
	"load r0 first\n"                                                                          \
	"jz r0 none" L "\n" WAKE_QUEUE(L) "none" L ":\n"
#define UNTIL_TAKEN(L)                                                                             \
	"spin" L ":\n"                                                                             \
	"load r0 word\n"                                                                           \
	"jnz r0 spin" L "\n"
#define RUN_HALT_STOP                                                                              \
	POST("a", "1")                                                                             \
	"or r0 word 2\n"                                                                           \
	"ghost halted 1\n"                                                                         \
	"load r0 first\n"                                                                          \
	"jz r0 noneb\n" WAKE_QUEUE("b") "noneb:\n" UNTIL_TAKEN("c") STOPPER

static const struct x_model control_good[] = {
	{"run, halt, stop of a transmit loop",
	 {TRANSMIT(QUEUE_THEN_TEST, TAKE), RUN_HALT_STOP},
	 NULL,
	 "state=0 word=0 first=0"},
	{"stop of a transmit loop that runs or sleeps",
	 {TRANSMIT(QUEUE_THEN_TEST, TAKE), POST("a", "1") "end\n", STOPPER},
	 NULL,
	 "state=0 first=0"},
	{"two who post, and a stop when all is taken",
	 {TRANSMIT(QUEUE_THEN_TEST, TAKE), POST("a", "1") UNTIL_TAKEN("c") "ghost one 1\nend\n",
	  POST("a", "4") UNTIL_TAKEN("c") "w:\nload r0 one\njz r0 w\n" STOPPER},
	 NULL,
	 "got4=1 word=0"},
};

static const struct x_model control_bad[] = {
	{"a control bit cleared in two steps",
	 {TRANSMIT(QUEUE_THEN_TEST, TAKE_IN_TWO_STEPS),
	  POST("a", "1") UNTIL_TAKEN("c") "ghost one 1\nend\n",
	  POST("a", "4") UNTIL_TAKEN("c") "w:\nload r0 one\njz r0 w\n" STOPPER},
	 NULL,
	 "got4=1 word=0"},
	{"a halt lost to a clearing in two steps",
	 {TRANSMIT(QUEUE_THEN_TEST, TAKE_IN_TWO_STEPS), RUN_HALT_STOP},
	 NULL,
	 "state=0 word=0"},
};

/*
 * A poster that sleeps until its bit is taken, as ww_control_wait_taken() does: a loop asleep
 * beside a set bit then leaves both stuck.
 */
#define TAKE_AND_TELL TAKE "wake word\n"
#define POST_AND_SLEEP(post)                                                                       \
	post "untaken:\n"                                                                          \
	     "wait word 4\n"                                                                       \
	     "load r0 word\n"                                                                      \
	     "jnz r0 untaken\n" STOPPER

static const struct x_model taken_good[] = {
	{"a poster that sleeps until its bit is taken",
	 {TRANSMIT(QUEUE_THEN_TEST, TAKE_AND_TELL), POST_AND_SLEEP(POST("a", "4"))},
	 NULL,
	 "word=0 got4=1 first=0"},
};

static const struct x_model taken_bad[] = {
	{"a loop that tests the word before it queues",
	 {TRANSMIT("or r0 word 0\njnz r0 waited\n" QUEUE_AND_SAY "set r0 0\n", TAKE_AND_TELL),
	  POST_AND_SLEEP(POST("a", "4"))},
	 NULL,
	 NULL},
	{"a poster that looks for the waiter before it posts",
	 {TRANSMIT(QUEUE_THEN_TEST, TAKE_AND_TELL),
	  POST_AND_SLEEP("load r0 first\n"
			 "or r1 word 4\n"
			 "jz r0 nonea\n" WAKE_QUEUE("a") "nonea:\n")},
	 NULL,
	 NULL},
};

/* Parking. "held" is set while the controller relies on the thread being parked. */
#define PARKS(say)                                                                                 \
	"park:\n"                                                                                  \
	"xchg r0 state 0x40\n" say "said1:\n" SLEEP("") "jmp park\n"                               \
							"unparked:\n"                              \
							"store state 0\n"
#define SAY_PARKED                                                                                 \
	"say:\n"                                                                                   \
	"load r0 flags\n"                                                                          \
	"jclear r0 2 unparked\n"                                                                   \
	"set r1 r0\n"                                                                              \
	"ror r1 4\n"                                                                               \
	"cas r2 flags r0 r1\n"                                                                     \
	"jeq r2 r0 said1\n"                                                                        \
	"jmp say\n"
#define SAY_PARKED_APART                                                                           \
	"load r0 flags\n"                                                                          \
	"jclear r0 2 unparked\n"                                                                   \
	"release parked 1\n"
#define PARKING_LOOP(first, say)                                                                   \
	first "loop:\n"                                                                            \
	      "must held 0\n"                                                                      \
	      "load r0 flags\n"                                                                    \
	      "jtest r0 2 park\n"                                                                  \
	      "jtest r0 1 ended\n"                                                                 \
	      "jmp loop\n" PARKS(say) "jmp loop\n"                                                 \
				      "ended:\n"                                                   \
				      "end\n"
#define PARK(L, seen)                                                                              \
	"or r0 flags 2\n" WAKE("p" L, "3") "until" L ":\n" seen "ghost held 1\n"                   \
					   "ghost held 0\n"
#define SEEN(L)		"load r0 flags\njclear r0 4 until" L "\n"
#define SEEN_APART(L)	"load r0 parked\njz r0 until" L "\n"
#define UNPARK(L)	"and r0 flags 0xf9\n" WAKE("u" L, "0x40")
#define UNPARK_APART(L) "release parked 0\nand r0 flags 0xfd\n" WAKE("u" L, "0x40")

static const struct x_model park_good[] = {
	{"park, unpark, park, unpark, stop",
	 {PARKING_LOOP("", SAY_PARKED),
	  PARK("1", SEEN("1")) UNPARK("1") PARK("2", SEEN("2")) UNPARK("2") STOPPER},
	 NULL,
	 "state=0"},
	{"stop of a parked thread",
	 {PARKING_LOOP("", SAY_PARKED),
	  PARK("1", SEEN("1")) "or r0 flags 1\n" UNPARK("1") WAKE("s", "3") "end\n"},
	 NULL,
	 "state=0"},
	{"an idle wake-up leaves a parked thread alone",
	 {PARKING_LOOP("", SAY_PARKED), PARK("1", SEEN("1")) UNPARK("1") STOPPER,
	  WAKE("", "3") "end\n"},
	 NULL,
	 "state=0"},
	{"a thread that parks itself, then is parked",
	 {PARKING_LOOP("or r0 flags 2\n", SAY_PARKED),
	  "own:\nload r0 flags\njclear r0 2 own\n" UNPARK("1") PARK("2", SEEN("2")) UNPARK("2")
		  STOPPER},
	 NULL,
	 "state=0"},
};

static const struct x_model park_bad[] = {
	{"parked said apart from the request",
	 {PARKING_LOOP("or r0 flags 2\n", SAY_PARKED_APART),
	  "own:\nload r0 flags\njclear r0 2 own\n" UNPARK_APART("1") PARK("2", SEEN_APART("2"))
		  UNPARK_APART("2") STOPPER},
	 NULL,
	 NULL},
	{"a wake-up that takes any sleeper",
	 {"park:\n"
	  "xchg r0 state 0x40\n" SAY_PARKED "said1:\n" SLEEP("") "must held 0\n"
								 "load r0 flags\n"
								 "jtest r0 2 park\n"
								 "unparked:\n"
								 "store state 0\n"
								 "end\n",
	  PARK("1", SEEN("1")) UNPARK("1") "end\n", WAKE("", "0x43") "end\n"},
	 "flags=2",
	 NULL},
};

/*
 * Freezing a sleeper where it sleeps (state 9: interruptible and freezable). "still" is set while
 * the freezing thread relies on nobody running.
 */
#define FREEZABLE_SLEEP(recheck, time_up)                                                          \
	"load r0 state\n"                                                                          \
	"jz r0 awake\n"                                                                            \
	"set r1 r0\n"                                                                              \
	"ror r1 0x80\n"                                                                            \
	"cas r2 state r0 r1\n"                                                                     \
	"jeq r2 r0 said\n"                                                                         \
	"jmp awake\n"                                                                              \
	"said:\n"                                                                                  \
	"load r2 on\n"                                                                             \
	"jz r2 futex\n"                                                                            \
	"set r2 r1\n"                                                                              \
	"ror r2 0x10\n"                                                                            \
	"cas r3 state r1 r2\n"                                                                     \
	"jeq r3 r1 iced\n"                                                                         \
	"set r1 r3\n"                                                                              \
	"jmp futex\n"                                                                              \
	"iced:\n" recheck "progress:\n"                                                            \
	"set r1 r2\n"                                                                              \
	"add r3 progress 1\n"                                                                      \
	"wake progress\n"                                                                          \
	"futex:\n"                                                                                 \
	"jz r1 awake\n"                                                                            \
	"jtest r1 0x10 cold\n" time_up "cold:\n"                                                   \
	"wait state r1\n"                                                                          \
	"load r1 state\n"                                                                          \
	"jmp futex\n"                                                                              \
	"awake:\n"
#define RECHECK(kept)                                                                              \
	"load r3 on\n"                                                                             \
	"jnz r3 progress\n"                                                                        \
	"back:\n" /* r2: what the state was last; r1: what it shall be */                          \
	"cas r3 state r2 r1\n"                                                                     \
	"jeq r3 r2 futex\n"                                                                        \
	"set r2 r3\n"                                                                              \
	"set r1 r3\n"                                                                              \
	"jclear r3 0x10 futex\n" kept "rand r1 0xef\n"                                             \
	"jclear r3 0x20 back\n"                                                                    \
	"set r1 0\n"                                                                               \
	"jmp back\n"
#define NO_TIME ""
#define TIME_UP(go_on)                                                                             \
	"waitfor r2 state r1\n"                                                                    \
	"load r1 state\n"                                                                          \
	"jz r2 futex\n"                                                                            \
	"jz r1 awake\n"                                                                            \
	"jtest r1 0x10 cold\n" go_on
#define GO_ON_BY_EXCHANGE                                                                          \
	"cas r0 state r1 0\n"                                                                      \
	"jeq r0 r1 late\n"                                                                         \
	"set r1 r0\n"                                                                              \
	"jmp futex\n"
#define GO_ON_BY_STORE                                                                             \
	"store state 0\n"                                                                          \
	"jmp late\n"
/* A timed wait ends when its time is up; the other when the condition is true. */
#define FREEZABLE_WAIT(recheck, time_up)                                                           \
	"again:\n"                                                                                 \
	"must still 0\n"                                                                           \
	"xchg r0 state 9\n"                                                                        \
	"load r0 cond\n"                                                                           \
	"jnz r0 done\n" FREEZABLE_SLEEP(recheck, time_up) "jmp again\n"                            \
							  "late:\n"                                \
							  "done:\n"                                \
							  "must still 0\n"                         \
							  "xchg r0 state 4\n"                      \
							  "add r3 progress 1\n"                    \
							  "wake progress\n"                        \
							  "end\n"
#define FREEZE                                                                                     \
	"xchg r0 on 1\n"                                                                           \
	"scan:\n"                                                                                  \
	"load r3 progress\n"                                                                       \
	"look:\n"                                                                                  \
	"load r0 state\n"                                                                          \
	"set r1 r0\n"                                                                              \
	"jtest r0 0x14 noted\n"                                                                    \
	"jclear r0 0x80 noted\n"                                                                   \
	"ror r1 0x10\n"                                                                            \
	"noted:\n"                                                                                 \
	"cas r2 state r0 r1\n"                                                                     \
	"jeq r2 r0 noted2\n"                                                                       \
	"jmp look\n"                                                                               \
	"noted2:\n"                                                                                \
	"jtest r1 4 gone\n"                                                                        \
	"jtest r1 0x10 frozen\n"                                                                   \
	"wait progress r3\n"                                                                       \
	"jmp scan\n"                                                                               \
	"frozen:\n"                                                                                \
	"ghost still 1\n"                                                                          \
	"ghost still 0\n"                                                                          \
	"gone:\n"
#define THAW(kick)                                                                                 \
	"release on 0\n"                                                                           \
	"thaw:\n"                                                                                  \
	"load r0 state\n"                                                                          \
	"set r1 r0\n"                                                                              \
	"jclear r0 0x10 thawed\n"                                                                  \
	"rand r1 0xef\n"                                                                           \
	"jclear r0 0x20 thawed\n"                                                                  \
	"set r1 0\n"                                                                               \
	"thawed:\n"                                                                                \
	"cas r2 state r0 r1\n"                                                                     \
	"jeq r2 r0 thawed2\n"                                                                      \
	"jmp thaw\n"                                                                               \
	"thawed2:\n" kick "end\n"
#define KICK "wake state\n"
#define WAKE_WARM_OR_COLD(when_cold)                                                               \
	"store cond 1\n"                                                                           \
	"look:\n"                                                                                  \
	"load r0 state\n"                                                                          \
	"set r1 r0\n"                                                                              \
	"jclear r0 3 noted\n"                                                                      \
	"set r1 0\n"                                                                               \
	"jclear r0 0x10 noted\n"                                                                   \
	"set r1 r0\n" when_cold "noted:\n"                                                         \
	"cas r2 state r0 r1\n"                                                                     \
	"jeq r2 r0 noted2\n"                                                                       \
	"jmp look\n"                                                                               \
	"noted2:\n"                                                                                \
	"jnz r1 none\n"                                                                            \
	"jclear r0 0x80 none\n"                                                                    \
	"wake state\n"                                                                             \
	"none:\n"                                                                                  \
	"end\n"
#define KEEP_IT "ror r1 0x20\n"

static const struct x_model freeze_good[] = {
	{"freeze and thaw of a sleeper, and a wake-up in between",
	 {FREEZABLE_WAIT(RECHECK(""), NO_TIME), FREEZE THAW(KICK), WAKE_WARM_OR_COLD(KEEP_IT)},
	 NULL,
	 "on=0 state=4"},
	{"freeze and thaw of a timed sleeper",
	 {FREEZABLE_WAIT(RECHECK(""), TIME_UP(GO_ON_BY_EXCHANGE)), FREEZE THAW(KICK)},
	 NULL,
	 "on=0 state=4"},
	{"freeze and thaw of a timed sleeper that is woken too",
	 {FREEZABLE_WAIT(RECHECK(""), TIME_UP(GO_ON_BY_EXCHANGE)), FREEZE THAW(KICK),
	  WAKE_WARM_OR_COLD(KEEP_IT)},
	 NULL,
	 "on=0 state=4"},
	{"a thaw without a freeze before it",
	 {FREEZABLE_WAIT(RECHECK(""), NO_TIME), THAW(KICK), WAKE_WARM_OR_COLD(KEEP_IT)},
	 "on=1",
	 "on=0 state=4"},
};

static const struct x_model freeze_bad[] = {
	{"time that is up taken by a store",
	 {FREEZABLE_WAIT(RECHECK(""), TIME_UP(GO_ON_BY_STORE)), FREEZE THAW(KICK)},
	 NULL,
	 NULL},
	{"a thaw that wakes nobody",
	 {FREEZABLE_WAIT(RECHECK(""), TIME_UP(GO_ON_BY_EXCHANGE)), FREEZE THAW("")},
	 NULL,
	 NULL},
	{"a wake-up of a frozen thread forgotten",
	 {FREEZABLE_WAIT(RECHECK(""), NO_TIME), FREEZE THAW(KICK), WAKE_WARM_OR_COLD("")},
	 NULL,
	 NULL},
	{"a wake-up of a frozen thread that lets it run",
	 {FREEZABLE_WAIT(RECHECK(""), NO_TIME), FREEZE THAW(KICK), WAKE_WARM_OR_COLD("set r1 0\n")},
	 NULL,
	 NULL},
	{"a sleep that begins frozen, looks again, and forgets a wake-up that was kept",
	 {FREEZABLE_WAIT(RECHECK("jmp futex\n"), NO_TIME), FREEZE THAW(KICK),
	  WAKE_WARM_OR_COLD(KEEP_IT)},
	 NULL,
	 NULL},
	{"a sleep that begins frozen and does not look again",
	 {FREEZABLE_WAIT("", NO_TIME), THAW(KICK), WAKE_WARM_OR_COLD(KEEP_IT)},
	 "on=1",
	 NULL},
};

static void explore(const struct x_model *m, size_t n, bool good_ones)
{
	static struct x_result r;

	for (size_t i = 0; i < n; i++) {
		bool found = false;

		for (int machine = X_TSO; machine <= X_PSO; machine++) {
			x_explore(&m[i], (enum x_machine)machine, &r);
			if (good_ones && r.bad)
				printf("# %s\n", r.why);
			CHECK_MSG(!good_ones || !r.bad, "%s", m[i].name);
			found |= r.bad;
			tap_note("%s, %s: %zu states, %s", m[i].name,
				 machine == X_TSO ? "TSO" : "PSO", r.states,
				 r.bad ? "a fault" : "no fault");
		}
		CHECK_MSG(good_ones || found, "not found: %s", m[i].name);
	}
}

#define EACH(models, is_good) explore(models, sizeof(models) / sizeof((models)[0]), is_good)

TEST_LIMIT(no_wake_up_is_lost_between_the_state_and_the_sleep, 120)
{
	EACH(good, true);
	EACH(bad, false);
}

TEST_LIMIT(no_stop_is_lost, 120)
{
	EACH(stop_good, true);
	EACH(stop_bad, false);
}

TEST_LIMIT(no_wake_up_of_a_queue_is_lost, 120)
{
	EACH(queue_good, true);
	EACH(queue_bad, false);
}

TEST_LIMIT(a_halt_reaches_a_busy_loop_within_one_burst_and_a_sleeping_one_at_once, 240)
{
	EACH(control_good, true);
	EACH(control_bad, false);
	EACH(taken_good, true);
	EACH(taken_bad, false);
}

TEST_LIMIT(parked_means_parked, 120)
{
	EACH(park_good, true);
	EACH(park_bad, false);
}

TEST_LIMIT(frozen_means_still_and_no_wake_up_is_lost_to_it, 240)
{
	EACH(freeze_good, true);
	EACH(freeze_bad, false);
}
