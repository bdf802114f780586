/* SPDX-License-Identifier: MIT */
/*
 * Names of functions for reports. The dynamic linker knows what a file exports; callbacks are
 * mostly static, so the file's own symbol table is read as well where it has not been stripped.
 * Slow (it maps the file each time), and only used when something is wrong.
 */
#include "base/report.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct place {
	uintptr_t addr;
	uintptr_t base; /* where its file is loaded */
	const char *file;
};

static int find_file(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct place *p = arg;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type != PT_LOAD || p->addr < start || p->addr - start >= ph->p_memsz)
			continue;
		p->base = info->dlpi_addr;
		p->file = info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe";
		return 1;
	}
	return 0;
}

/* The symbol of the table at sh that covers addr. */
static bool search_table(const char *image, size_t size, const ElfW(Shdr) * sh, const char *names,
			 size_t names_size, const struct place *p, char *out, size_t n)
{
	const ElfW(Sym) *sym = (const void *)(image + sh->sh_offset);

	if (sh->sh_offset > size || sh->sh_size > size - sh->sh_offset)
		return false;
	for (size_t i = 0; i < sh->sh_size / sizeof(*sym); i++) {
		uintptr_t off = p->addr - p->base - sym[i].st_value;
		unsigned type = ELF64_ST_TYPE(sym[i].st_info);

		if ((type != STT_FUNC && type != STT_OBJECT) || !sym[i].st_shndx ||
		    off >= (sym[i].st_size ? sym[i].st_size : 1) || sym[i].st_name >= names_size)
			continue;
		snprintf(out, n, off ? "%s+0x%lx" : "%s", names + sym[i].st_name,
			 (unsigned long)off);
		return true;
	}
	return false;
}

static bool search_image(const char *image, size_t size, const struct place *p, char *out, size_t n)
{
	const ElfW(Ehdr) *eh = (const void *)image;
	const ElfW(Shdr) * sh;

	if (size < sizeof(*eh) || memcmp(eh->e_ident, ELFMAG, SELFMAG) != 0 ||
	    eh->e_shentsize != sizeof(*sh) || eh->e_shoff > size ||
	    eh->e_shnum > (size - eh->e_shoff) / sizeof(*sh))
		return false;
	sh = (const void *)(image + eh->e_shoff);
	for (unsigned i = 0; i < eh->e_shnum; i++) {
		const ElfW(Shdr) * names;

		if (sh[i].sh_type != SHT_SYMTAB || sh[i].sh_link >= eh->e_shnum)
			continue;
		names = &sh[sh[i].sh_link];
		if (names->sh_offset > size || names->sh_size > size - names->sh_offset)
			continue;
		if (search_table(image, size, &sh[i], image + names->sh_offset, names->sh_size, p,
				 out, n))
			return true;
	}
	return false;
}

static bool from_file(uintptr_t addr, char *out, size_t n)
{
	struct place p = {addr, 0, NULL};
	struct stat st;
	bool found = false;
	void *image;
	int fd;

	if (!dl_iterate_phdr(find_file, &p))
		return false;
	fd = open(p.file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && st.st_size > 0) {
		image = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (image != MAP_FAILED) {
			found = search_image(image, (size_t)st.st_size, &p, out, n);
			munmap(image, (size_t)st.st_size);
		}
	}
	close(fd);
	return found;
}

const char *ww_symbol(const void *addr)
{
	static __thread char names[4][128];
	static __thread unsigned turn;
	char *out = names[turn++ & 3];
	Dl_info info;

	if (addr && dladdr(addr, &info) && info.dli_sname) {
		uintptr_t off = (uintptr_t)addr - (uintptr_t)info.dli_saddr;

		snprintf(out, sizeof(names[0]), off ? "%s+0x%lx" : "%s", info.dli_sname,
			 (unsigned long)off);
	} else if (!addr || !from_file((uintptr_t)addr, out, sizeof(names[0]))) {
		snprintf(out, sizeof(names[0]), "%p", addr);
	}
	return out;
}
