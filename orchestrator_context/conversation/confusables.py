"""Characters that can be taken for Latin letters and digits, by what they are taken for.

Generated from the confusables of Unicode 17.0 (UTS 39; Unicode License v3, (c) Unicode): those
whose prototype consists of Latin letters and digits, but for accents, and that no compatibility
form covers. Beyond that there are the small capitals of the Latin alphabet and what looks like
them, every digit zero that is a ring, box drawings that look like strokes, and the other case of
all these. Each row begins with what its characters look like; then come their code points,
hexadecimal.
"""

from __future__ import annotations

from typing import Final

_LETTERS = """
2 1a7 1a8 1bb 3e8 3e9 14bf a644 a645 a6ef a75a a75b 1ccf2
3 1b7 21c 21d 25c 292 417 437 498 499 4e0 4e1 969 ae9 2c9c 2c9d 2cc4 2cc5 2ccc 2ccd a76a a76b a7ab
3 118aa 118ca 16f3b 1ccf3
4 13ce ab9e 118af 118cf 1ccf4
5 1bc 118bb 118db 1ccf5
6 3ec 431 13ee 2cd2 2cd3 2cdc 2cdd abbe 118d5 1ccf6
7 104d2 104fa 118c6 1ccf7
8 222 223 9ea a6a b03 1031a 1ccf8 1e8cb
9 9ed a67 b68 d6d 2cca 2ccb a76e a76f 118ac 118b6 118cc 118d6 1ccf9
a 251 391 3b1 410 430 13aa 15c5 1d00 2c6d a4ee ab7a 102a0 16f40 1ccd6
aa a732 a733
ae c6 e6 4d4 4d5 1d01
ao a734 a735
au a736 a737
av a738 a739 a73a a73b
ay a73c a73d
b 180 181 182 183 184 185 243 253 299 392 3b2 411 412 42c 432 44c 462 463 48c 48d 13cf 13f4 13fc
b 1472 1473 15af 15f7 2c82 2c83 a4d0 a7b4 ab9f 10282 102a1 10301 16eb6 1ccd7
bl 42b 44b
c 23b 23c 3a3 3c2 421 441 4aa 4ab 1004 105a 13df 1d04 2ca4 2ca5 a4da abaf 102a2 10302 10415 1043d
c 1051c 118e9 118f2 1ccd8
d d0 f0 110 111 189 18a 18b 18c 256 257 500 501 13a0 13e7 146f 15de 15ea 1d05 a4d2 a4d3 ab70 abb7
d 1ccd9
dz 2a3
e 246 247 395 3b5 415 435 4bc 4bd 4be 4bf 13ac 1d07 2d39 a4f0 ab32 ab7c 10286 118a6 118ae 118ce
e 1ccda
f 191 192 3dc 3dd 554 584 15b4 1d6e 1e9d a4dd a730 a798 a799 ab35 10287 102a5 10525 118a2 118c2
f 1ccdb
fn 2a9
g 18d 193 1e4 1e5 260 261 262 50c 50d 551 581 13c0 13f3 13fb 1d83 a4d6 a7ac ab90 1ccdc
h 126 127 266 29c 397 40b 41d 43d 45b 4a2 4a3 4ba 4bb 4c7 4c8 4c9 4ca 540 570 13bb 13c2 13f2 13fa
h 157c 2c67 2c68 2c8e 2c8f a4e7 a694 a695 a7aa ab8b ab92 102cf 1ccdd
i 131 268 269 26a 3b9 456 4cf 552 582 13a5 1d7b 1d7c 2c93 a646 a647 a7ae ab75 118c3
j 248 249 29d 37f 3f3 408 458 13ab 148d 1d0a a4d9 a7b2 ab7b 1ccdf
k 198 199 39a 3ba 41a 43a 49a 49b 49e 49f 13e6 16d5 1d0b 2c69 2c6a 2c94 2c95 a4d7 a740 a741 abb6
k 10518 1cce0
l 141 142 196 197 19a 1c0 23d 26b 26d 29f 399 406 4c0 5d5 5df 627 661 6f1 7ca 13de 14aa 16c1 2c62
l 2c92 2cd0 2cd1 2d4f a4e1 a4f2 abae 1028a 10309 10320 1041b 10443 10526 118a3 118b2 118d2 11dda
l 11de1 16eaa 16f16 16f28 1ccde 1cce1 1ccf1 1e8c7
ll 1c1 5f0
lo 42e 44e
ls 2aa
lz 2ab
m 39c 3bc 3fa 3fb 41c 43c 4cd 4ce 13b7 15f0 16d6 1d0d 2c98 2c99 a4df ab87 102b0 10311 1cce2
n 14a 14b 19d 19e 220 272 273 274 39d 3b7 542 548 54c 572 578 57c 1d70 2c9a 2c9b a4e0 10513 1cce3
o d8 f8 19f 275 398 39f 3b8 3bf 3c3 3ed 41e 43e 472 473 4e8 4e9 555 585 5e1 647 665 6be 6c1 6d5
o 6f5 6ff 7c0 966 9e6 a66 ae6 b20 b66 be6 c02 c66 c82 ce6 d02 d20 d66 d82 de6 e50 ed0 f20 101d
o 1040 1090 10ff 12d0 13a4 13be 13eb 17e0 1810 1946 19d0 1a80 1a90 1b50 1bb0 1c40 1c50 1cbf 1d0f
o 1d11 2c90 2c91 2c9e 2c9f 2d31 2d41 2d54 3007 a4f3 a620 a74a a74b a8d0 a900 a9d0 a9f0 aa50 ab3d
o ab3e ab74 ab8e abbb abf0 10292 102ab 10404 1042c 104a0 104c2 104ea 10516 10d30 10d40 11066 110f0
o 11136 111d0 112f0 11450 114d0 11650 116c0 116d0 116da 11730 118a8 118b5 118b7 118c8 118d7 118e0
o 11950 11bf0 11c50 11d50 11da0 11de0 11f50 16130 16a60 16ac0 16b50 16d70 1cce4 1ccf0 1e140 1e2f0
o 1e4f0 1e5f1 1e950
oe 152 153 276
oo a698 a699 a74e a74f
p de fe 1a4 1a5 1bf 1f7 3a1 3c1 3f7 3f8 420 440 13e2 146d 1d18 1d29 1d7d 2c63 2ca2 2ca3 2cce 2ccf
p a4d1 abb2 10295 1cce5
q 2a0 51a 51b 533 536 563 566 2d55 a7af 1cce6
r 1a6 24c 24d 27c 27d 280 413 433 490 491 492 493 13a1 13b1 13d2 1587 1d26 1d72 2c64 2c84 2c85
r a4e3 ab47 ab48 ab71 ab81 aba2 104b4 104dc 16f35 1cce7
rn 271 1d6f 2c6e 11700 118e3
s 1bd 282 405 455 54f 57f d1f 13d5 13da 1d74 a4e2 a731 a7c5 aba5 abaa 10296 10420 10448 118a1
s 118c1 16f3a 1cce8
ss 13f0 13f8 a7b5 a7d6 a7d7
t 166 167 1ac 1ad 1ae 23e 288 3a4 3c4 422 442 4ac 4ad 13a2 1d1b 1d75 2c66 2ca6 2ca7 a4d4 ab72
t 10297 102b1 10315 118bc 16f0a 1cce9
t3 a728 a729
tf a777
ts 2a6
u 1b2 244 289 28b 3c5 40f 45f 54d 57d 1200 13cc 144c 1d1c 1d7e a4f4 a79e a79f ab4e ab52 ab9c 104ce
u 104f6 118b8 118d8 16f42 1ccea
ue 1d6b
uo ab63
v 3bd 474 475 5d8 667 6f7 13d9 142f 1d20 2d38 a4e6 a6df aba9 1051d 11706 118a0 118c0 16f08 1cceb
w 19c 26f 3a9 3c9 428 448 460 461 51c 51d 531 561 13b3 13d4 1d21 2cbc 2cbd a4ea a760 a761 ab83
w aba4 114c5 1170a 1170e 1170f 118e6 118ef 1ccec
x 3a7 3c7 425 445 4b2 4b3 1541 157d 16b7 2cac 2cad 2d5d a4eb a7b3 ab53 10290 102b4 10317 10322
x 10527 118ec 1cced
y 194 1b3 1b4 24e 24f 263 28f 393 3a5 3b3 423 443 4ae 4af 4b0 4b1 10e7 13a9 13bd 1ca7 1d8c 1efe
y 1eff 2ca8 2ca9 a4ec ab5a ab79 ab8d 102b2 118a4 118dc 16f43 1ccee
z 1b5 1b6 224 225 290 396 3b6 13c3 1d22 1d76 a4dc ab93 102f5 118a9 118c4 118c9 118e5 1ccef
"""
_SIGNS = """
10 23e8
3 1d206
7 1d212
a 2376 237a
ar 1f707
c a2 20a1 1f16e 1f74c
d 20ab
e 212e 22ff
f 1d213
i 2373 2378
k 20ad
l 7c 5c0 2223 23aa 23ae 23d0 23fd 2502 2503 2758 2759 1d22a
ll 2016 2225 10199
lls 10198
lt 20b6
mb 1f76b
n 1018e
o 1b5c 2296 229d 236c a9c6 1d21a 1f714
oo 221e
p 2374
qe 1f700
r 1d216
rn 20a5
sss 1f75c
t 20ae 22a4 2361 27d9 1f768
u 222a 22c3
v 2228 22c1 10197 1d20d 1f708
vb 1f76c
w 20a9
x d7 166d 166e 2573 292b 292c 2a2f 2a30 10196
y a5
"""


def _table(rows: str) -> dict[int, str]:
    split = map(str.split, rows.strip().split("\n"))
    return {int(code, 16): looks for looks, *codes in split for code in codes}


LETTERS: Final = _table(_LETTERS)
"""Letters, digits and marks."""

SIGNS: Final = _table(_SIGNS)
"""Symbols and punctuation, which may just as well be what they are."""
