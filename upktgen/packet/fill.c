// SPDX-License-Identifier: MIT
/*
 * The loop that writes frames: copy the template, let the patchers move their fields, add what
 * changed to sums that were made at start. One body, compiled once for each shape of frame, so that
 * it holds no test of what can't change within a run.
 */
#include "packet/internal.h"

/*
 * len bytes in 32-byte pieces: a constant count, so no call and no loop. The template is not
 * written in between, so its loads never wait for a store.
 */
static inline __attribute__((always_inline)) void copy_template(uint8_t *to, const uint8_t *from,
								unsigned len)
{
	memcpy(to, __builtin_assume_aligned(from, 32), len);
}

static inline uint32_t stamp_sum(uint64_t stamp)
{
	return pg_halves((uint32_t)(stamp >> 32)) + pg_halves((uint32_t)stamp);
}

static inline __attribute__((always_inline)) void
fill(struct pg_packet *p, struct iovec *v, unsigned n, uint64_t stamp, struct pg_stamp *clock,
     const bool ip6, const bool checksum, const bool patches, const bool each, const unsigned copy)
{
	const unsigned ip = p->ip_off, udp = p->udp_off;
	const uint32_t ip_base = p->ip_base;
	const uint64_t udp_base = (uint64_t)p->udp_base + (each ? 0 : stamp_sum(stamp));
	const uint64_t magic = (uint64_t)p->magic << 32;
	uint32_t seq = p->seq, id = p->ip_id;

	for (unsigned i = 0; i < n; i++) {
		uint8_t *buf = v[i].iov_base;
		uint64_t moved = 0;

		if (each)
			stamp = pg_stamp_now(clock);
		copy_template(buf, p->template, copy);
		if (patches) {
			const pg_patch_fn *f = p->patch;

			do
				moved += (*f)(p, buf);
			while (*++f);
		}
		if (!ip6) {
			pg_put16(buf + ip + 4, id);
			pg_put16(buf + ip + 10, ~pg_fold(ip_base + (id & 0xffff) + (moved >> 32)));
			id++;
		}
		if (checksum) {
			uint64_t all = udp_base + (uint32_t)moved + pg_halves(seq);
			uint32_t sum = pg_fold(each ? all + stamp_sum(stamp) : all) ^ 0xffff;

			pg_put16(buf + udp + 6, sum ? sum : 0xffff);
		}
		pg_put64(buf + udp + 8, magic | seq);
		pg_put64(buf + udp + 16, stamp);
		seq++;
		v[i].iov_len = p->len;
	}
	p->seq = seq;
	p->ip_id = id;
}

#define FILL(name, ip6, checksum, patches, each, copy)                                             \
	static void name(struct pg_packet *p, struct iovec *v, unsigned n, uint64_t stamp,         \
			 struct pg_stamp *clock)                                                   \
	{                                                                                          \
		fill(p, v, n, stamp, clock, ip6, checksum, patches, each, copy);                   \
	}
#define FILL_SIZES(name, ip6, checksum, patches, each)                                             \
	FILL(name##_64, ip6, checksum, patches, each, 64)                                          \
	FILL(name##_96, ip6, checksum, patches, each, 96)                                          \
	FILL(name##_160, ip6, checksum, patches, each, PG_TEMPLATE)
#define FILL_STAMPS(name, ip6, checksum, patches)                                                  \
	FILL_SIZES(name, ip6, checksum, patches, false)                                            \
	FILL_SIZES(name##_each, ip6, checksum, patches, true)

FILL_STAMPS(ip4_plain, false, false, false)
FILL_STAMPS(ip4_moved, false, false, true)
FILL_STAMPS(ip4_plain_sum, false, true, false)
FILL_STAMPS(ip4_moved_sum, false, true, true)
FILL_STAMPS(ip6_plain, true, false, false)
FILL_STAMPS(ip6_moved, true, false, true)
FILL_STAMPS(ip6_plain_sum, true, true, false)
FILL_STAMPS(ip6_moved_sum, true, true, true)

#define SIZES(name)                                                                                \
	{                                                                                          \
		{name##_64, name##_96, name##_160},                                                \
		{                                                                                  \
			name##_each_64, name##_each_96, name##_each_160                            \
		}                                                                                  \
	}

pg_fill_fn pg_choose_fill(bool ip6, bool checksum, bool patches, bool each, uint32_t header_len)
{
	static const pg_fill_fn table[2][2][2][2][3] = {
		{{SIZES(ip4_plain), SIZES(ip4_moved)},
		 {SIZES(ip4_plain_sum), SIZES(ip4_moved_sum)}},
		{{SIZES(ip6_plain), SIZES(ip6_moved)},
		 {SIZES(ip6_plain_sum), SIZES(ip6_moved_sum)}},
	};

	return table[ip6][checksum][patches][each][header_len <= 64 ? 0 : header_len <= 96 ? 1 : 2];
}
