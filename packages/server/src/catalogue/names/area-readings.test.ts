import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { builtInAreaNames } from './area-reading.ts';
import { areasRead, readingsOf, readingWords } from './area-readings.ts';
import { AREAS } from './areas.ts';
import { foldRomaji, romajiOf } from './romaji.ts';

describe('readings of areas', () => {
  it('are there for every area that has a name', () => {
    for (const { code, name } of AREAS.values()) {
      if (/未定地$|未確定地$/.test(name)) continue;
      const found = readingsOf(code);
      assert.ok(found, `${code} ${name}`);
      assert.match(found.kana, /^[ぁ-ゖー]+$/, name);
      assert.match(found.romaji, /^[a-z0-9]+(-[a-z]+)?$/, name);
    }
  });

  it('are the names that packages have', () => {
    const expected = {
      '27100': 'osaka-shi',
      '13101': 'chiyoda-ku',
      '13100': 'tokyo23-ku',
      '14130': 'kawasaki-shi',
      '08220': 'tsukuba-shi',
      '22203': 'numazu-shi',
      '17206': 'kaga-shi',
      '13382': 'mikurajima-mura',
      '12218': 'katsuura-shi',
      '13115': 'suginami-ku',
      '23203': 'ichinomiya-shi',
      '33208': 'soja-shi',
      '35305': 'suooshima-cho',
      '01202': 'hakodate-shi',
      '20203': 'ueda-shi',
      '21201': 'gifu-shi',
      '27': 'osaka-fu',
      '01': 'hokkaido',
    };
    for (const [code, romaji] of Object.entries(expected)) assert.equal(readingsOf(code)?.romaji, romaji);
  });

  it('find an area in every script, however its vowels and kind are written', () => {
    const osaka = ['27', '27100'];
    for (const text of ['Osaka', 'OSAKA', 'Ōsaka', 'oosaka', 'おおさか', 'オオサカ', 'ｵｵｻｶ', 'Oosaka ']) {
      assert.deepEqual(areasRead(text), osaka, text);
    }
    for (const text of ['osaka-shi', 'Osaka City', 'おおさかし', 'osaka osaka-shi', 'Osaka-shi, Osaka']) {
      assert.deepEqual(areasRead(text), ['27100'], text);
    }
    assert.deepEqual(areasRead('Tokyo'), ['13']);
    assert.deepEqual(areasRead('Toukyou'), ['13']);
    assert.deepEqual(areasRead('Kita-ku, Osaka-shi'), ['27127']);
    assert.deepEqual(areasRead('sinzyuku'), areasRead('Shinjuku'));
    assert.deepEqual(areasRead('つし'), ['24201']);
    assert.ok(areasRead('つしま').includes('42209'));
    for (const text of ['大阪', 'Atlantis', 'おおさかえき', '', '53394509', 'a'.repeat(5_000)]) {
      assert.deepEqual(areasRead(text), [], text.slice(0, 20));
    }
  });

  it('find every area by its own readings', () => {
    const codes = [...AREAS.keys()].filter((code) => readingsOf(code) !== null);
    fc.assert(
      fc.property(fc.constantFrom(...codes), (code) => {
        const { kana, romaji } = readingsOf(code)!;
        assert.ok(areasRead(kana).includes(code));
        assert.ok(areasRead(romaji).includes(code));
        assert.ok(readingWords(code).includes(romaji));
      }),
    );
  });

  it('fold what differs in writing alone', () => {
    for (const [a, b] of [
      ['Kōbe', 'koube'],
      ['Tyuuou', 'chuo'],
      ['Hukuoka', 'fukuoka'],
      ['Shimbashi', 'shinbashi'],
      ['Ohno', 'ono'],
    ] as const) {
      assert.equal(foldRomaji(a), foldRomaji(b));
    }
    assert.equal(romajiOf('きゃっちゃ-し'), 'kyatcha-shi');
  });
});

it('areas are read from the largest on, whichever are left out between', () => {
  const codes = (text: string) =>
    builtInAreaNames()
      .read(text)
      .map(({ chain, length }) => [chain.map(({ code }) => code).join('/'), length] as const);
  const isRead = (text: string, chain: string) =>
    codes(text).some(([found, length]) => found === chain && length === text.length);
  assert.ok(isRead('神奈川県鶴見区', '14/14101'), 'a ward behind its prefecture');
  assert.ok(isRead('神奈川県横浜市鶴見区', '14/14100/14101'));
  assert.ok(isRead('横浜市鶴見区', '14100/14101'));
  assert.ok(isRead('東京都千代田区', '13/13101'));
  assert.ok(!codes('大阪府横浜市').some(([found]) => found.includes('/')), 'of another prefecture');
  assert.ok(!codes('大阪市鶴見区').some(([found]) => found === '27100/14101'));
});
