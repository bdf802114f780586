# SPDX-License-Identifier: MIT
# Kernel modules as programs, for a Makefile of one's own:
#
#	MODULES := foo bar
#	foo-objs := foo-core.o foo-io.o		# of several files; else foo.o
#	include $(shell pkg-config --variable=makefragment wheelwork-linux-module)
#
# "make" builds foo and bar; ./foo --duration 5 name=value runs one. SANITIZE=address,undefined or
# SANITIZE=thread builds them so.
PKG_CONFIG ?= pkg-config

WW_MODULE_CFLAGS := $(shell $(PKG_CONFIG) --cflags wheelwork-linux-module) \
	-std=gnu11 -fgnu89-inline -g -O2 -fno-strict-aliasing -fwrapv -funsigned-char \
	-fno-omit-frame-pointer -pthread -Wall -Wno-pointer-sign -Werror=implicit-function-declaration \
	-Werror=implicit-int -Werror=return-type -DMODULE -D__KERNEL__ -D_GNU_SOURCE
ifneq ($(findstring thread,$(SANITIZE)),)
WW_MODULE_LIBS := $(shell $(PKG_CONFIG) --variable=tsan_archive wheelwork-linux-module) -lurcu-bp -lm
else
WW_MODULE_LIBS := $(shell $(PKG_CONFIG) --libs wheelwork-linux-module)
endif
ifneq ($(SANITIZE),)
WW_MODULE_CFLAGS += -fsanitize=$(SANITIZE)
endif

.PHONY: modules
modules: $(MODULES)

define ww_module
$(1)-objs ?= $(1).o
$$($(1)-objs): EXTRA_CFLAGS += -DKBUILD_MODNAME='"$(1)"'
$(1): $$($(1)-objs)
	$$(CC) $$(WW_MODULE_CFLAGS) $$(LDFLAGS) -o $$@ $$^ $$(WW_MODULE_LIBS)
endef
$(foreach m,$(MODULES),$(eval $(call ww_module,$(m))))

%.o: %.c
	$(CC) $(WW_MODULE_CFLAGS) -DKBUILD_BASENAME='"$*"' $(EXTRA_CFLAGS) $(CFLAGS) -c -o $@ $<
