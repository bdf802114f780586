// SPDX-License-Identifier: MIT
/*
 * Driver logic: a state machine fed by a sampling timer, with its decisions in a work, a watchdog
 * as a delayed work, and suspend and resume.
 * run: --duration 1s setpoint=210
 * expect: heater therm0: idle -> heating at
 * expect: heater therm0: heating -> idle at
 * expect: suspended, no sample while away
 * expect: heater therm0: gone after [1-9]
 */
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

static int setpoint = 200;
module_param(setpoint, int, 0644);
MODULE_PARM_DESC(setpoint, "tenths of a degree");

enum state { IDLE, HEATING, FAULT, SUSPENDED };
static const char *const state_name[] = {"idle", "heating", "fault", "suspended"};

struct thermostat {
	struct device dev;
	struct timer_list sample_timer;
	struct work_struct decide;
	struct delayed_work watchdog;
	struct mutex lock; /* state */
	enum state state;
	atomic_t temperature;
	atomic_t heater;
	atomic_t samples;
	int changes;
	u32 *history;
};

static struct device_driver driver = {.name = "heater"};
static struct thermostat *therm;

static void sample(struct timer_list *t)
{
	struct thermostat *th = from_timer(th, t, sample_timer);

	atomic_add(atomic_read(&th->heater) ? 3 : -2, &th->temperature);
	th->history[atomic_inc_return(&th->samples) % 64] = (u32)atomic_read(&th->temperature);
	schedule_work(&th->decide);
	mod_timer(t, jiffies + msecs_to_jiffies(2));
}

static void change(struct thermostat *th, enum state to)
{
	lockdep_assert_held(&th->lock);
	if (th->state == to)
		return;
	WRITE_ONCE(th->changes, th->changes + 1);
	if (th->changes <= 4)
		dev_info(&th->dev, "%s -> %s at %d\n", state_name[th->state], state_name[to],
			 atomic_read(&th->temperature));
	th->state = to;
	atomic_set(&th->heater, to == HEATING);
}

static void decide(struct work_struct *work)
{
	struct thermostat *th = container_of(work, struct thermostat, decide);
	int now = atomic_read(&th->temperature);

	mutex_lock(&th->lock);
	if (th->state == IDLE && now < setpoint - 5)
		change(th, HEATING);
	else if (th->state == HEATING && now > setpoint + 5)
		change(th, IDLE);
	mutex_unlock(&th->lock);
	/* each decision puts the watchdog off */
	mod_delayed_work(system_wq, &th->watchdog, 60 * HZ);
}

static void bite(struct work_struct *work)
{
	struct thermostat *th = container_of(to_delayed_work(work), struct thermostat, watchdog);

	mutex_lock(&th->lock);
	change(th, FAULT);
	mutex_unlock(&th->lock);
	dev_crit(&th->dev, "no decision for a minute\n");
	WARN_ON(1);
}

static void therm_suspend(struct thermostat *th)
{
	timer_delete_sync(&th->sample_timer);
	cancel_work_sync(&th->decide);
	cancel_delayed_work_sync(&th->watchdog);
	mutex_lock(&th->lock);
	change(th, SUSPENDED);
	mutex_unlock(&th->lock);
}

static void therm_resume(struct thermostat *th)
{
	mutex_lock(&th->lock);
	change(th, IDLE);
	mutex_unlock(&th->lock);
	mod_timer(&th->sample_timer, jiffies + 1);
}

static int __init therm_init(void)
{
	int samples, i;

	therm = kzalloc(sizeof(*therm), GFP_KERNEL);
	if (!therm)
		return -ENOMEM;
	therm->dev.driver = &driver;
	dev_set_name(&therm->dev, "therm%d", 0);
	dev_set_drvdata(&therm->dev, therm);
	therm->history = devm_kcalloc(&therm->dev, 64, sizeof(u32), GFP_KERNEL);
	if (!therm->history)
		return -ENOMEM;
	mutex_init(&therm->lock);
	atomic_set(&therm->temperature, setpoint - 20);
	timer_setup(&therm->sample_timer, sample, 0);
	INIT_WORK(&therm->decide, decide);
	INIT_DELAYED_WORK(&therm->watchdog, bite);
	therm_resume(therm);
	for (i = 0; i < 3000 && READ_ONCE(therm->changes) < 3; i++)
		msleep(10);
	therm_suspend(therm);
	samples = atomic_read(&therm->samples);
	msleep(20);
	if (samples == atomic_read(&therm->samples))
		pr_info("suspended, no sample while away\n");
	therm_resume(therm);
	return 0;
}

static void __exit therm_exit(void)
{
	struct thermostat *th = dev_get_drvdata(&therm->dev);

	therm_suspend(th);
	dev_info(&th->dev, "gone after %d samples\n", atomic_read(&th->samples));
	ww_linux_devres_release(&th->dev);
	kfree(th);
}

module_init(therm_init);
module_exit(therm_exit);
MODULE_LICENSE("Dual MIT/GPL");
