import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ScanObserver } from './scan-observer.ts';
import { openIngesting, writeFiles } from './testing/ingesting.ts';

const NAME = '13101_chiyoda-ku_city_2023_citygml_1_op';

const gml = (members: string) =>
  `<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" xmlns:gml="http://www.opengis.net/gml" ` +
  `xmlns:bldg="http://www.opengis.net/citygml/building/2.0">${members}</core:CityModel>`;
const member = (id: string) =>
  `<core:cityObjectMember><bldg:Building gml:id="${id}"/></core:cityObjectMember>`;

/** Notes what it is shown of each file. */
function noting() {
  const seen = new Map<string, { text: string; ends: number[]; features: number | null }>();
  const observer: ScanObserver = ({ path, bytes }, issue) => {
    if (path.includes('/tran/')) return null;
    const of = { text: '', ends: [] as number[], features: null as number | null };
    seen.set(path, of);
    return {
      text: (chunk) => (of.text += Buffer.from(chunk).toString()),
      feature: ({ end }) => of.ends.push(end),
      end(summary) {
        of.features = summary.features;
        assert.equal(of.text.length, bytes);
        issue({ code: 'SEEN', severity: 'info', member: path, message: 'It was looked at.' });
      },
    };
  };
  return { seen, observer };
}

test(
  'an observer sees the text of each file that it wants in the pass that reads it, and where features ' +
    'end',
  async () => {
    await using at = await openIngesting();
    const text = gml(member('a') + member('b'));
    const path = 'udx/bldg/53394509_bldg_6697_op.gml';
    const root = await writeFiles(join(at.directory, NAME), {
      [path]: text,
      'udx/tran/53394509_tran_6697_op.gml': gml(''),
    });
    for (const until of ['describe', 'publish'] as const) {
      const { seen, observer } = noting();
      const [report] = await at.ingest(root, { until, observer });
      assert.deepEqual([...seen.keys()], [path], 'it wanted no other');
      const { ends, ...of } = seen.get(path)!;
      assert.deepEqual(of, { text, features: 2 });
      assert.deepEqual(
        ends.map((end) => text.slice(0, end).slice(-12)),
        ['gml:id="a"/>', 'gml:id="b"/>'],
      );
      const found = report!.issues.filter(({ code }) => code === 'SEEN');
      assert.deepEqual(
        found.map(({ member: of }) => of),
        [path],
        until,
      );
    }
    const { seen, observer } = noting();
    await at.ingest(root, { until: 'identify', observer });
    assert.equal(seen.size, 0, 'no file is read for its name');
  },
);

test('an observer hears of a text that is not read to its end', async () => {
  await using at = await openIngesting();
  const root = await writeFiles(join(at.directory, NAME), {
    'udx/bldg/53394509_bldg_6697_op.gml': gml(member('a')),
  });
  const stop = new AbortController();
  let left = 0;
  const ended: number[] = [];
  const observer: ScanObserver = () => ({
    text: () => stop.abort(new Error('stopped')),
    end: ({ features }) => {
      ended.push(features);
    },
    abandon: () => left++,
  });
  await assert.rejects(at.ingest(root, { observer, signal: stop.signal }), /stopped/);
  assert.deepEqual([left, ended], [1, []]);
});
