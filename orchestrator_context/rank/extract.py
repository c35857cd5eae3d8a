"""Query-focused extraction: the units of a text that answer a question best within a budget."""

from __future__ import annotations

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import regex

from orchestrator_context.protocols import TokenCounter
from orchestrator_context.rank.lexical import LexicalIndex
from orchestrator_context.rank.units import Unit, joined
from orchestrator_context.text import words

_LABEL=0.5; _PART=0.5; _PASSAGE=0.3; _NEAR=0.4; _DECAY=0.5; _REPEAT=0.6; _FB=0.4; _FBN=8; _FBK=4
_KIND={"prose":1.0,"code":0.6,"name":0.4}; _OPEN=1.25; _COST=0.0; _NOVEL=0.5
FUNCTION_WORDS = frozenset(
    "a an the and or but if in on at to for of with by from as is are was were be been being it its this that these those "
    "which who whom whose what when where why how do does did has have had not no so than then into about can could will would "
    "shall should may might must there their they them he she his her him we our us you your i me my any all some such only "
    "also more most other what's".split())

@dataclass(frozen=True, slots=True)
class Statement:
    unit: Unit
    passages: tuple[int, ...]
    rank: int

def question_words(question: str) -> dict[str, float]:
    w = {}
    for raw in question.split():
        found = words(raw, stem=True)
        plain = words(raw)
        for k,(t,p) in enumerate(zip(found, plain)):
            if p in FUNCTION_WORDS or (len(p)==1 and p.isascii() and not p.isdigit()): continue
            w[t] = max(w.get(t,0), 1.0 if k==0 or not p.isascii() else _PART)
    return w

_NAME = regex.compile(r"(?<=[\p{Ll}\d,;:)(\]»”'\"] )[\p{Lu}][\p{L}\p{M}\d'’-]+|\b[\p{L}\d]*_[\p{L}\d_]+|\b\p{Ll}+\p{Lu}\w+|\d[\d.,:]*\d|\d\d")

def rank(question, units: Sequence[Unit], P=None):
    P = P or {}
    g = lambda k: P.get(k, globals()['_'+k])
    tf=[]
    for u in units:
        c=Counter(words(u.text,stem=True)); 
        c2=dict(c)
        for t in words(u.label,stem=True): c2[t]=c2.get(t,0)+g('LABEL')
        tf.append(c2)
    index=LexicalIndex(tf)
    q={t:w for t,w in question_words(question).items() if index.frequency(t)}
    if not q: return
    np_=max(u.passage for u in units)+1
    ptf=[defaultdict(float) for _ in range(np_)]
    for u,c in zip(units,tf):
        d=ptf[u.passage]
        for t,x in c.items(): d[t]+=x
    pindex=LexicalIndex(ptf)
    def full(weights):
        own=index.scores(weights); ps=pindex.scores(weights); m=max(ps) or 1; mo=max(own) or 1
        near=[0.0]*len(units)
        for rng in (range(len(units)), range(len(units)-1,-1,-1)):
            carry=0.0; last=-1
            for i in rng:
                if units[i].passage!=last: carry=0.0; last=units[i].passage
                near[i]+=carry; carry=carry*g('DECAY')+own[i]*(1-g('DECAY'))
        return own, [g('PASSAGE')*mo*ps[u.passage]/m+g('NEAR')*near[i] for i,u in enumerate(units)]
    own,ctx=full(q)
    if g('FB'):
        top=sorted(range(len(units)),key=lambda i:(-(own[i]+ctx[i]),i))[:g('FBK')]
        best=own[top[0]]+ctx[top[0]]
        ex={}
        for i in top:
            v=(own[i]+ctx[i])/best
            text=units[i].text+" "+""
            for t in set(words(" ".join(_NAME.findall(units[i].text))+" "+units[i].label,stem=True)):
                if t not in q and index.frequency(t)<=max(2,len(units)//10): ex[t]=max(ex.get(t,0),v)
        chosen=sorted(ex,key=lambda t:(-ex[t]*index.idf(t),t))[:g('FBN')]
        qx=dict(q); 
        for t in chosen: qx[t]=g('FB')*ex[t]
    else: qx=q
    own,ctx=full(qx)
    need=math.isqrt(len(q))
    ok=[sum(t in d for t in q)>=need for d in ptf]
    imp=defaultdict(list)
    for t,w in qx.items():
        for i,x in index.impacts(t): imp[i].append((t,w*x))
    mult=[]
    qs=set(q)
    for u in units:
        m=g('KIND')[u.kind]
        if u.opening and qs & set(words(u.label,stem=True)): m*=g('OPEN')
        mult.append(m/ (max(20,len(u.text))**g('COST')))
    seen=Counter(); covered=set()
    def gain(i):
        s=sum(x*g('REPEAT')**seen[t] for t,x in imp[i])+ctx[i]
        if g('NOVEL'):
            n=[t for t in tf[i]]
            s*=1-g('NOVEL')+g('NOVEL')*sum(t not in covered for t in n)/max(1,len(n))
        return s*mult[i]
    heap=[(-gain(i),i) for i in range(len(units)) if ok[units[i].passage] and (own[i]>0 or g('ALL'))]
    heapq.heapify(heap)
    while heap:
        v,i=heapq.heappop(heap)
        now=gain(i)
        if heap and now < -heap[0][0]-1e-12:
            heapq.heappush(heap,(-now,i)); continue
        yield i, now
        for t,_ in imp[i]: seen[t]+=1
        covered.update(tf[i])
_ALL=False
