/** Small faults in a text, by a seed. */

const KINDS = ['drop', 'swap', 'unknown', 'text', 'number', 'attribute', 'lose', 'repeat'] as const;

/** Numbers from 0 to 1 by a seed (mulberry32). */
export function randomBy(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Span {
  start: number;
  /** After the start tag. */
  inner: number;
  end: number;
  isLeaf: boolean;
}

/** Elements of a text below its root; the text has no comments. */
function elementsOf(text: string): Span[] {
  const spans: Span[] = [];
  const open: Span[] = [];
  for (const { 0: tag, index } of text.matchAll(/<\/?[A-Za-z][^>]*>/g)) {
    const end = index + tag.length;
    if (tag[1] === '/') {
      const span = open.pop()!;
      span.end = end;
      continue;
    }
    for (const span of open) span.isLeaf = false;
    const span = { start: index, inner: end, end, isLeaf: true };
    spans.push(span);
    if (!tag.endsWith('/>')) open.push(span);
  }
  return spans.slice(1);
}

/** A text with one fault or none, and what was done to it. */
export function mutate(text: string, random: () => number): { kind: string; text: string } {
  const kind = KINDS[Math.floor(random() * KINDS.length)]!;
  const spans = elementsOf(text);
  const some = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]!;
  const span = some(spans);
  const put = (from: number, to: number, by: string) => text.slice(0, from) + by + text.slice(to);
  const whole = text.slice(span.start, span.end);
  const leaf = some(spans.filter(({ isLeaf, inner, end }) => isLeaf && end > inner));
  const close = text.lastIndexOf('<', leaf.end - 1);
  switch (kind) {
    case 'drop':
      return { kind, text: put(span.start, span.end, '') };
    case 'repeat':
      return { kind, text: put(span.end, span.end, whole) };
    case 'unknown':
      return { kind, text: put(span.end, span.end, '<gml:notThere/>') };
    case 'text':
      return {
        kind,
        text: put(leaf.inner, close, some(['', 'x y', '0', '-1', ' 2020-02-30 ', 'true', '-9999'])),
      };
    // libxml2 takes `1e` for a number, which XML Schema does not.
    case 'number':
      return { kind, text: put(leaf.inner, close, `${text.slice(leaf.inner, close)} 1x`) };
    case 'attribute': {
      const to = span.inner - (text[span.inner - 2] === '/' ? 2 : 1);
      const written = some([
        ' wrong="1"',
        ' gml:remoteSchema="a b"',
        ' uom="m"',
        ' codeSpace=":"',
        ' xmlns:xlink="http://www.w3.org/1999/xlink" xlink:type="x"',
      ]);
      return { kind, text: put(to, to, written) };
    }
    case 'lose': {
      const tag = text.slice(span.start, span.inner).replace(/ [a-zA-Z:]+="[^"]*"/, '');
      return { kind, text: put(span.start, span.inner, tag) };
    }
    case 'swap': {
      const next = spans.find(({ start }) => start >= span.end && /^\s*$/.test(text.slice(span.end, start)));
      if (next === undefined) return { kind, text };
      const between = text.slice(span.end, next.start);
      return { kind, text: put(span.start, next.end, text.slice(next.start, next.end) + between + whole) };
    }
  }
}
