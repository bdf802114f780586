// SPDX-License-Identifier: MIT
//
// Moves cancel + queue to mod_delayed_work(), and delete + add to mod_timer().
//
//	spatch --sp-file tools/mod-delayed-work.cocci --in-place FILE.c...
//	spatch --sp-file tools/mod-delayed-work.cocci -D report FILE.c...	changes nothing
//
// A pair is touched only where the second call follows the first at once: no statement, no lock,
// no label between them, neither result used. Left alone on purpose:
//  - the _sync forms: they also wait for a handler that runs, which mod_delayed_work() does not;
//  - "if (cancel_delayed_work(w)) queue...": re-arms only what was pending;
//  - an item that the same file queues on another work queue: a move between queues is not a delay;
//  - an item found by a call or changed on the way (cancel_delayed_work(next(w))): the pair
//    evaluates it twice, one call once.

virtual report

// ---- what keeps a pair from being touched ----

@effects@
expression f, x;
position p;
@@
(
cancel_delayed_work@p(<+... f(...) ...+>)
|
__cancel_delayed_work@p(<+... f(...) ...+>)
|
del_timer@p(<+... f(...) ...+>)
|
timer_delete@p(<+... f(...) ...+>)
|
cancel_delayed_work@p(<+... x++ ...+>)
|
__cancel_delayed_work@p(<+... x++ ...+>)
|
del_timer@p(<+... x++ ...+>)
|
timer_delete@p(<+... x++ ...+>)
)

@initialize:python@
@@
queues = {}  # (file, item) -> the work queues it is queued on

def note(p, item, wq):
    wq = "system_wq" if wq == "system_percpu_wq" else wq
    queues.setdefault((p[0].file, item), set()).add(wq)

def say(p, text):
    print("%s:%s: %s" % (p[0].file, p[0].line, text.replace(" -> ", "->").replace("& ", "&")))

@queued@
expression E, W;
position o;
@@
(
queue_delayed_work@o(W, E, ...)
|
mod_delayed_work@o(W, E, ...)
|
queue_delayed_work_on@o(..., W, E, ...)
|
mod_delayed_work_on@o(..., W, E, ...)
)

@script:python@
o << queued.o;
e << queued.E;
w << queued.W;
@@
note(o, e, w)

@scheduled@
expression E;
position o;
@@
(
schedule_delayed_work@o(E, ...)
|
schedule_delayed_work_on@o(..., E, ...)
)

@script:python@
o << scheduled.o;
e << scheduled.E;
@@
note(o, e, "system_wq")

// ---- "if it was queued already, cancel it and queue it again" ----

@again@
expression E, W, T;
position p != effects.p;
@@
(
if (!queue_delayed_work(W, E, T)) {
	cancel_delayed_work@p(E);
	queue_delayed_work(W, E, T);
}
|
if (!schedule_delayed_work(E, T)) {
	cancel_delayed_work@p(E);
	schedule_delayed_work(E, T);
}
)

@script:python depends on report@
p << again.p;
e << again.E;
@@
say(p, "queue, or cancel and queue of %s: one mod_delayed_work()" % e)

@depends on !report@
expression E, W, T;
position again.p;
@@
(
- if (!queue_delayed_work(W, E, T)) {
- 	cancel_delayed_work@p(E);
- 	queue_delayed_work(W, E, T);
- }
+ mod_delayed_work(W, E, T);
|
- if (!schedule_delayed_work(E, T)) {
- 	cancel_delayed_work@p(E);
- 	schedule_delayed_work(E, T);
- }
+ mod_delayed_work(system_wq, E, T);
)

// ---- delayed works: cancel, then queue ----

@dwork@
expression E, W, T, C;
position p != { effects.p, again.p };
position q;
@@
(
cancel_delayed_work@p(E);
|
__cancel_delayed_work@p(E);
|
if (delayed_work_pending(E)) cancel_delayed_work@p(E);
|
if (delayed_work_pending(E)) __cancel_delayed_work@p(E);
)
(
queue_delayed_work@q(W, E, T);
|
queue_delayed_work_on@q(C, W, E, T);
|
schedule_delayed_work@q(E, T);
|
schedule_delayed_work_on@q(C, E, T);
)

@script:python one_queue@
p << dwork.p;
e << dwork.E;
@@
if len(queues.get((p[0].file, e), ())) > 1:
    cocci.include_match(False)

@script:python depends on report && one_queue@
p << dwork.p;
e << dwork.E;
@@
say(p, "cancel and queue of %s: one mod_delayed_work()" % e)

@depends on !report && one_queue@
expression E, W, T, C;
position dwork.p, dwork.q;
@@
(
- cancel_delayed_work@p(E);
|
- __cancel_delayed_work@p(E);
|
- if (delayed_work_pending(E)) cancel_delayed_work@p(E);
|
- if (delayed_work_pending(E)) __cancel_delayed_work@p(E);
)
(
- queue_delayed_work@q(W, E, T);
+ mod_delayed_work(W, E, T);
|
- queue_delayed_work_on@q(C, W, E, T);
+ mod_delayed_work_on(C, W, E, T);
|
- schedule_delayed_work@q(E, T);
+ mod_delayed_work(system_wq, E, T);
|
- schedule_delayed_work_on@q(C, E, T);
+ mod_delayed_work_on(C, system_wq, E, T);
)

// ---- cancel, then queue at once ----

@at_once@
expression X, W;
position p != effects.p;
@@
(
cancel_delayed_work@p(&X);
|
__cancel_delayed_work@p(&X);
|
if (delayed_work_pending(&X)) cancel_delayed_work@p(&X);
)
(
queue_work(W, &X.work);
|
schedule_work(&X.work);
)

@script:python depends on report@
p << at_once.p;
x << at_once.X;
@@
say(p, "cancel and queue at once of &%s: mod_delayed_work(..., 0)" % x)

@depends on !report@
expression X, W;
position at_once.p;
@@
(
- cancel_delayed_work@p(&X);
|
- __cancel_delayed_work@p(&X);
|
- if (delayed_work_pending(&X)) cancel_delayed_work@p(&X);
)
(
- queue_work(W, &X.work);
+ mod_delayed_work(W, &X, 0);
|
- schedule_work(&X.work);
+ mod_delayed_work(system_wq, &X, 0);
)

// ---- timers: delete, set, add ----

@timer@
expression X, T;
position p != effects.p;
@@
(
del_timer@p(&X);
|
timer_delete@p(&X);
|
if (timer_pending(&X)) del_timer@p(&X);
|
if (timer_pending(&X)) timer_delete@p(&X);
)
(
X.expires = T;
add_timer(&X);
|
mod_timer(&X, T);
)

@script:python depends on report@
p << timer.p;
x << timer.X;
@@
say(p, "delete and add of &%s: one mod_timer()" % x)

@depends on !report@
expression X, T;
position timer.p;
@@
(
- del_timer@p(&X);
|
- timer_delete@p(&X);
|
- if (timer_pending(&X)) del_timer@p(&X);
|
- if (timer_pending(&X)) timer_delete@p(&X);
)
(
- X.expires = T;
- add_timer(&X);
+ mod_timer(&X, T);
|
mod_timer(&X, T);
)

@timer_ptr@
expression P, T;
position p != effects.p;
@@
(
del_timer@p(P);
|
timer_delete@p(P);
|
if (timer_pending(P)) del_timer@p(P);
|
if (timer_pending(P)) timer_delete@p(P);
)
(
P->expires = T;
add_timer(P);
|
mod_timer(P, T);
)

@script:python depends on report@
p << timer_ptr.p;
x << timer_ptr.P;
@@
if not x.startswith("&"):
    say(p, "delete and add of %s: one mod_timer()" % x)

@depends on !report@
expression P, T;
position timer_ptr.p;
@@
(
- del_timer@p(P);
|
- timer_delete@p(P);
|
- if (timer_pending(P)) del_timer@p(P);
|
- if (timer_pending(P)) timer_delete@p(P);
)
(
- P->expires = T;
- add_timer(P);
+ mod_timer(P, T);
|
mod_timer(P, T);
)

// ---- move it if it is pending, add it if not ----

@either@
expression X, T;
position p;
@@
(
if (timer_pending@p(&X))
	mod_timer(&X, T);
else {
	X.expires = T;
	add_timer(&X);
}
|
if (timer_pending@p(&X)) {
	mod_timer(&X, T);
} else {
	X.expires = T;
	add_timer(&X);
}
)

@script:python depends on report@
p << either.p;
x << either.X;
@@
say(p, "move or add of &%s: one mod_timer()" % x)

@depends on !report@
expression X, T;
position either.p;
@@
(
- if (timer_pending@p(&X))
- 	mod_timer(&X, T);
- else {
- 	X.expires = T;
- 	add_timer(&X);
- }
+ mod_timer(&X, T);
|
- if (timer_pending@p(&X)) {
- 	mod_timer(&X, T);
- } else {
- 	X.expires = T;
- 	add_timer(&X);
- }
+ mod_timer(&X, T);
)

// ---- test whether it is pending, only to delete it ----

@test_only@
expression X;
position p != { dwork.p, at_once.p, timer.p, timer_ptr.p };
@@
(
if (timer_pending(X)) del_timer@p(X);
|
if (timer_pending(X)) timer_delete@p(X);
|
if (timer_pending(X)) del_timer_sync@p(X);
|
if (timer_pending(X)) timer_delete_sync@p(X);
|
if (delayed_work_pending(X)) cancel_delayed_work@p(X);
|
if (delayed_work_pending(X)) cancel_delayed_work_sync@p(X);
)

@script:python depends on report@
p << test_only.p;
x << test_only.X;
@@
say(p, "%s is tested before it is deleted: the test says nothing (a handler may run)" % x)

// The plain forms test for themselves. A _sync form behind a test is a bug that only a reader can
// mend (it does not wait for a handler that runs just then): reported, not touched.
@depends on !report@
expression X;
position test_only.p;
@@
(
- if (timer_pending(X)) del_timer@p(X);
+ del_timer(X);
|
- if (timer_pending(X)) timer_delete@p(X);
+ timer_delete(X);
|
- if (delayed_work_pending(X)) cancel_delayed_work@p(X);
+ cancel_delayed_work(X);
)
