import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { GmlFileQuery } from '../catalogue-store.ts';
import { gmlFileStatement } from './gml-file-query.ts';

const statement = (query: GmlFileQuery, sorted = false) =>
  gmlFileStatement(query, ['package_no', 'type', 'path'], { sorted });

/** Parameters by the table of values that stands for each. */
function boundBy(query: GmlFileQuery): { prefixes: string[]; meshes: string[] } {
  const { sql, params } = statement(query)!;
  const of = (pattern: RegExp) => (params[Number(pattern.exec(sql)?.[1]) - 1] ?? []) as string[];
  return {
    prefixes: of(/FROM \(SELECT value FROM each_text\(\$(\d+)\)\) k/),
    meshes: of(/f\.mesh IN \(SELECT value FROM each_text\(\$(\d+)\)\)/),
  };
}

test('nothing matches an empty list of packages, types or mesh codes', () => {
  for (const query of [
    { packageNos: [] },
    { types: [] },
    { meshes: [] },
    { meshPrefixes: [] },
    { meshes: [], meshPrefixes: [] },
    { packageNos: [], meshes: ['5339'] },
  ])
    assert.equal(statement(query), null, JSON.stringify(query));
  for (const query of [
    {},
    { packageNos: [1] },
    { types: ['bldg'] },
    { meshes: ['5339'] },
    { meshPrefixes: [''] },
  ])
    assert.notEqual(statement(query), null, JSON.stringify(query));
});

test('each placeholder has its parameter, and each parameter a placeholder', () => {
  const parts = Object.entries({
    ...{ packageNos: [7, 8], types: ['bldg'], meshPrefixes: ['53'], meshes: ['6441'] },
    ...{ after: 'udx/a.gml', limit: 10, anyState: true },
  });
  for (let chosen = 0; chosen < 2 ** (parts.length + 1); chosen++) {
    const asked: Partial<Record<keyof GmlFileQuery, unknown>> = Object.fromEntries(
      parts.filter((_, i) => (chosen & (1 << i)) !== 0),
    );
    const sorted = chosen >= 2 ** parts.length;
    const { sql, params } = statement(asked as GmlFileQuery, sorted)!;
    const numbers = [...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
    assert.deepEqual(
      [...new Set(numbers)].sort((a, b) => a - b),
      params.map((_, i) => i + 1),
    );
    const hasMeshes = asked.meshPrefixes !== undefined || asked.meshes !== undefined;
    const isUnion = asked.meshPrefixes !== undefined && asked.meshes !== undefined;
    assert.equal(sql.includes(' UNION ALL '), isUnion);
    assert.equal(sql.endsWith(' ORDER BY 1, 2, 3'), hasMeshes && sorted);
    assert.equal(sql.includes("p.state = 'live'"), asked.anyState !== true);
    assert.equal(sql.includes('f.path >'), !hasMeshes && asked.after !== undefined);
    assert.equal(sql.includes(' LIMIT '), !hasMeshes && asked.limit !== undefined);
    assert.equal(sql.includes('f.type IN'), asked.types !== undefined);
    assert.equal(sql.includes('p.no IN'), asked.packageNos !== undefined);
  }
});

test('a file is found once, however many of the prefixes and codes its mesh has', () => {
  const code = fc.string({ unit: fc.constantFrom('1', '2'), maxLength: 4 });
  const codes = fc.array(code, { minLength: 1, maxLength: 6 });
  const universe = ['', '1', '2'].flatMap((a) =>
    ['', '1', '2'].flatMap((b) => ['', '1', '2', '12', '21'].map((c) => a + b + c)),
  );
  fc.assert(
    fc.property(codes, codes, (meshPrefixes, meshes) => {
      const bound = boundBy({ meshPrefixes, meshes });
      for (const mesh of universe) {
        const times =
          bound.prefixes.filter((prefix) => mesh.startsWith(prefix)).length +
          bound.meshes.filter((own) => own === mesh).length;
        const isWanted = meshPrefixes.some((prefix) => mesh.startsWith(prefix)) || meshes.includes(mesh);
        assert.equal(times, isWanted ? 1 : 0, mesh);
      }
    }),
  );
});
