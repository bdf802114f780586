/* SPDX-License-Identifier: MIT */
/* Every file of a corpus through its target: replay DIRECTORY. A fault ends it by a signal. */
#include "fuzz.h"

#include <dirent.h>

int main(int argc, char **argv)
{
	static uint8_t data[1 << 20];
	struct dirent **names;
	int n = argc == 2 ? scandir(argv[1], &names, NULL, alphasort) : -1, done = 0;

	if (n < 0) {
		fprintf(stderr, "usage: replay DIRECTORY\n");
		return 2;
	}
	for (int i = 0; i < n; i++) {
		char path[4096];
		FILE *f;

		if (names[i]->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", argv[1], names[i]->d_name);
		f = fopen(path, "r");
		if (!f)
			continue;
		size_t size = fread(data, 1, sizeof(data), f);
		fclose(f);
		/* Unbuffered: the last line names the file that ended it. */
		fprintf(stderr, "# %s\n", names[i]->d_name);
		LLVMFuzzerTestOneInput(data, size);
		done++;
	}
	printf("1..1\n%sok 1 - the %d inputs of %s\n", done ? "" : "not ", done, argv[1]);
	return !done;
}
