/* SPDX-License-Identifier: MIT */
/*
 * Timers inside an event loop of one's own: a base without a thread, whose descriptor becomes
 * readable when ww_base_run() is due. An echo server on a socket pair closes a connection that was
 * silent for 200 ms; each message pushes that deadline out, at the price of a store.
 */
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <wheelwork/wheelwork.h>

struct connection {
	int fd;
	int messages;
	struct ww_timer silence;
	struct ww_timer peer; /* plays the other side: a message every 100 ms, five times */
	int peer_fd, peer_left;
};

static void is_silent(struct ww_timer *timer)
{
	struct connection *c =
		(struct connection *)(void *)((char *)timer - offsetof(struct connection, silence));

	printf("silent for 200 ms after %d messages: closed\n", c->messages);
	close(c->fd);
	c->fd = -1;
}

static void peer_sends(struct ww_timer *timer)
{
	struct connection *c =
		(struct connection *)(void *)((char *)timer - offsetof(struct connection, peer));

	if (write(c->peer_fd, "ping", 4) == 4 && --c->peer_left)
		ww_mod_timer(timer, ww_jiffies() + ww_msecs_to_jiffies(100));
}

static void receive(struct connection *c)
{
	char text[64];
	ssize_t n = read(c->fd, text, sizeof(text));

	if (n <= 0)
		return;
	c->messages++;
	ww_mod_timer(&c->silence, ww_jiffies() + ww_msecs_to_jiffies(200));
}

int main(void)
{
	struct ww_base *base = ww_base_create_driven("loop");
	struct connection c = {.peer_left = 5};
	struct epoll_event event = {.events = EPOLLIN};
	int ends[2], loop = epoll_create1(EPOLL_CLOEXEC);

	if (!base || loop < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) {
		perror("timer_epoll");
		return 1;
	}
	c.fd = ends[0];
	c.peer_fd = ends[1];
	event.data.fd = c.fd;
	epoll_ctl(loop, EPOLL_CTL_ADD, c.fd, &event);
	event.data.fd = ww_base_fd(base);
	epoll_ctl(loop, EPOLL_CTL_ADD, event.data.fd, &event);

	ww_timer_setup(&c.silence, is_silent, 0);
	ww_timer_setup(&c.peer, peer_sends, 0);
	ww_timer_set_base(&c.silence, base);
	ww_timer_set_base(&c.peer, base);
	ww_mod_timer(&c.silence, ww_jiffies() + ww_msecs_to_jiffies(200));
	ww_mod_timer(&c.peer, ww_jiffies());

	while (c.fd >= 0) {
		if (epoll_wait(loop, &event, 1, -1) != 1)
			continue;
		if (event.data.fd == c.fd)
			receive(&c);
		else
			ww_base_run(base);
	}
	close(c.peer_fd);
	close(loop);
	return ww_base_destroy(base) ? 1 : 0;
}
