"""Symbols of Terraform, Makefiles, Dockerfiles and Fortran, told by the form of lines."""

from __future__ import annotations

import pytest

from orchestrator_context.languages import detect_language, structural_extract, structure
from tests import linear

TERRAFORM = """\
# resource "no" "no" {
terraform {
  required_version = ">= 1.5"
}

variable "region" {
  type = string
}

resource "aws_instance" "pump" {
  ami = "https://no { here"
  disk {
    size = 8
  }
  user_data = <<-EOF
    module "no" {
    }
  EOF
}

/* module "no" {
} */
module vpc {
  source = "./vpc"
}

output "ip" { value = aws_instance.pump.public_ip }
"""
MAKEFILE = """\
# no: such target
CC := gcc
POSIX ::= yes
include rules.mk
-include local.mk

define HELP
Stop the pump.
endef

.PHONY: all clean
all: build test

build: main.o \\
       pump.o
\t$(CC) -o pump $^

%.o: %.c
\t$(CC) -c $<

$(OUT)/${NAME}: build
clean::
\trm -f *.o

ifeq ($(OS),a:b)
export PATH := /bin
endif
"""
DOCKERFILE = """\
# FROM no
ARG VERSION=3.11
FROM --platform=linux/amd64 python:${VERSION} AS build
WORKDIR /src
RUN pip install . && \\
    rm -rf /tmp

from debian:12
COPY --from=build /src /app
RUN <<EOF
FROM no
EOF
ENTRYPOINT ["pump"]
"""
FORTRAN = """\
! module no
module pumps
  use, intrinsic :: iso_fortran_env, only: real64
  type, extends(machine), abstract :: pump
    type(valve) :: inlet
  end type pump
  interface stop_all
    module procedure stop_one
  end interface
contains
  pure real(kind=real64) function pressure(p) result(x)
    type(pump), intent(in) :: p
    x = p%pressure
  end function pressure

  module subroutine stop_one(p)
    print *, "subroutine no(x)"
  end subroutine stop_one
end module pumps

PROGRAM MAIN
  INCLUDE 'pumps.inc'
  CALL STOP_ONE(P)
END PROGRAM MAIN
"""
FIXED = """\
C     subroutine no (a) is what it was called
      SUBROUTINE STOP(P)
      INTEGER*4 FUNCTION LEVEL(P)
      END
"""
TEXTS = {"main.tf": TERRAFORM, "Makefile": MAKEFILE, "Dockerfile.dev": DOCKERFILE, "a.f90": FORTRAN}


def told(text: str, language: str) -> list[str]:
    return [
        f"{one.start_line}-{one.end_line} {one.kind} {one.name}"
        for one in structure(text, language)
    ]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        (
            TERRAFORM,
            "hcl",
            "2-4 other terraform|6-8 constant region|10-19 struct aws_instance.pump"
            "|23-25 module vpc|27-27 constant ip",
        ),
        (
            MAKEFILE,
            "makefile",
            "4-4 import include rules.mk|5-5 import -include local.mk|7-7 macro HELP"
            "|12-12 function all|14-16 function build|18-19 function %.o"
            "|21-21 function $(OUT)/${NAME}|22-23 function clean",
        ),
        (
            DOCKERFILE,
            "dockerfile",
            "2-2 constant VERSION|3-7 module build|8-13 module debian:12|13-13 other ENTRYPOINT",
        ),
        (
            FORTRAN,
            "fortran",
            "2-19 module pumps|3-3 import use, intrinsic :: iso_fortran_env, only: real64"
            "|4-6 struct pump|7-9 interface stop_all|11-14 function pressure"
            "|16-18 function stop_one|21-24 module MAIN|22-22 import INCLUDE 'pumps.inc'",
        ),
        (FIXED, "fortran", "2-2 function STOP|3-4 function LEVEL"),
    ],
)
def test_symbols(text: str, language: str, expected: str) -> None:
    assert told(text, language) == expected.split("|")
    assert told(text.replace("\n", "\r\n"), language) == expected.split("|")


@pytest.mark.parametrize(("path", "text"), TEXTS.items())
def test_an_extract_holds_the_lines_of_all_symbols(path: str, text: str) -> None:
    language = detect_language(path)
    found = structural_extract(text + "\n" * 600, language).split("\n")
    assert found
    assert set(found) <= {line.rstrip() for line in text.split("\n")} | {
        line.rsplit("{", 1)[0].rstrip() for line in text.split("\n")
    }
    assert len(found) == sum(one.signature.count("\n") + 1 for one in structure(text, language))


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_lines_that_go_on_are_one(ending: str) -> None:
    text = "FROM a\nENV A=1 \\\n    B=2\nEXPOSE 1\n".replace("\n", ending)
    environment = structure(text, "dockerfile")[1]
    assert environment.signature == f"ENV A=1 \\{ending}    B=2"
    assert (environment.name, environment.end_line) == ("A", 3)
    rule = structure("all: b \\\n  c\n\techo\nlast:\n".replace("\n", ending), "makefile")[0]
    assert rule.signature == f"all: b \\{ending}  c"


def test_the_body_of_a_define_declares_nothing() -> None:
    text = (
        "define A\nx: y\n\tz\nendef\nall: b\n"
        "override define B =\nu: v\ninclude w\n  endef\nend: x\n"
    )
    assert told(text, "makefile") == [
        "1-1 macro A", "5-5 function all", "6-6 macro B", "10-10 function end",
    ]  # fmt: skip
    assert told("define A\nno: x\n", "makefile") == ["1-1 macro A"]
    assert told("define A\nendef\nyes: x\n", "makefile") == ["1-1 macro A", "3-3 function yes"]


@pytest.mark.parametrize("path", ["pumps.f", "PUMPS.F", "pumps.ftn", "pumps.F90"])
def test_files_of_fortran_are_known_by_their_names(path: str) -> None:
    assert detect_language(path) == "fortran"


@pytest.mark.parametrize("language", ["dockerfile", "fortran", "hcl", "makefile"])
@pytest.mark.parametrize(
    "piece",
    [
        *("pure ", "real(a) ", "real(", "type, ", "module a\n", "use ", "'", '"', "a ", "a:", "${"),
        *(
            "<<E\n",
            "define ",
            "define a\n",
            "define a\nendef\n",
            "a: \\\n",
            "from ",
            "C a\n",
            'resource "a" ',
            "a {\n",
            "x(y) \\\n",
            "end\n",
        ),
    ],
)
def test_time_is_linear_in_whatever_text(language: str, piece: str) -> None:
    linear.assert_linear(
        lambda text: structure(text, language), linear.repeating(piece), small=2_000
    )
