/* SPDX-License-Identifier: MIT */
/* Frames as the receiver captures them: cut short, damaged, anybody's. */
#include "fuzz.h"

#include "receive/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pg_frame_facts facts;
	uint8_t *frame;
	uint32_t cut;

	if (size < 2)
		return 0;
	size -= 2;
	/* One byte says how much was captured, the other how the receiver was asked to look. */
	cut = (uint32_t)(data[0] < size ? size - data[0] : size);
	frame = malloc(cut ? cut : 1);
	memcpy(frame, data + 2, cut);
	pg_frame_read(frame, cut, (uint32_t)size, data[1] & 1, data[1] & 2 ? 9 : -1, &facts);
	free(frame);
	return 0;
}
