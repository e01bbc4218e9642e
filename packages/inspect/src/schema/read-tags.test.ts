import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { areDoubles, TagReader } from './read-tags.ts';
import type { Wanted } from './tags.ts';

/** Tags, lines, attributes and texts, each text as one. */
type Event = string;

/** What the reader tells of a text that comes in pieces. */
function eventsOf(text: string, sizes: readonly number[], wanted: Wanted = 'text'): Event[] {
  const events: Event[] = [];
  let words = '';
  const flush = () => {
    if (words !== '') events.push(`text ${words}`);
    words = '';
  };
  const reader = new TagReader({
    start({ uri, local, attributes, line, resolve }) {
      flush();
      const shown = attributes.map((one) => `${one.uri} ${one.local} ${one.name}=${one.value}`);
      events.push(`start {${uri}}${local} ${line} ${shown.join(' | ')} ${resolve('a') ?? ''}`);
    },
    end() {
      flush();
      events.push('end');
    },
    wanted: () => wanted,
    text: (part) => (words += part),
    doubles: () => events.push('doubles'),
  });
  const bytes = Buffer.from(text);
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length]!;
    reader.push(bytes.subarray(at, at + size));
    at += size;
  }
  return events;
}

function expectedOf(text: string): Event[] {
  const events: Event[] = [];
  let words = '';
  let depth = 0;
  const flush = () => {
    if (words !== '' && depth > 0) events.push(`text ${words}`);
    words = '';
  };
  const parser = new SaxesParser({ xmlns: true });
  parser.on('opentag', ({ uri, local, attributes }) => {
    flush();
    depth++;
    const shown = Object.values(attributes).map((one) => `${one.uri} ${one.local} ${one.name}=${one.value}`);
    events.push(`start {${uri}}${local} ${parser.line} ${shown.join(' | ')} ${parser.resolve('a') ?? ''}`);
  });
  parser.on('closetag', () => {
    flush();
    depth--;
    events.push('end');
  });
  parser.on('text', (part) => (words += part));
  parser.on('cdata', (part) => (words += part));
  parser.write(text).close();
  return events;
}

const TEXTS = [
  '<?xml version="1.0"?>\n<!-- a > b -->\n<a:x xmlns:a="urn:a" xmlns="urn:b"\n  a:p="1 &gt; 0" q=\'"x" >\'>\n ' +
    '<y/>text &amp; &#x3042;<!-- - --><![CDATA[<z>&amp;]]> more\r\nlines\n</a:x>\n',
  '<x><y xmlns:a="urn:1"><a:z a="b"/></y><y  ></y  ><?go <on> ?><w k="a\tb\nc"/></x><!-- end -->',
  '<あ い="う">え<!---->お</あ>',
];

test('tags, attributes, lines and texts are those of a parser, however the text is cut', () => {
  const cuts = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.constantFrom(...TEXTS), cuts, (text, sizes) => {
      assert.deepEqual(eventsOf(text, sizes), expectedOf(text));
    }),
  );
});

test('positions are looked at as bytes, and told as texts where they are anything else', () => {
  const list = (text: string) => eventsOf(`<x>${text}</x>`, [1000], 'doubles').slice(1, -1);
  assert.deepEqual(list('1 -2.5 +3.\n.5'), ['doubles']);
  for (const other of ['1e5', '1 a', '1<!-- -->2', '1.2.3', 'INF', '- 1']) {
    assert.match(list(other)[0]!, /^text/, other);
  }
});

test('what counts as plain numbers is numbers', () => {
  const word = fc.oneof(fc.double({ noNaN: true }).map(String), fc.stringMatching(/^[0-9.+-]{1,5}$/));
  fc.assert(
    fc.property(fc.array(word), (words) => {
      const bytes = Buffer.from(words.join(' '));
      if (!areDoubles(bytes, 0, bytes.length)) return;
      for (const one of words) assert.match(one, /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/);
    }),
  );
});
