import assert from 'node:assert/strict';
import test from 'node:test';
import { FEATURE_TYPE_FACTS, FEATURE_TYPES, factsOfType, typesOfNature } from './feature-types.ts';

test('types have the order of the catalogue, and each a name of its own in both languages', () => {
  assert.equal(
    FEATURE_TYPES.join(' '),
    'bldg tran rwy trk squr wwy luse fld tnm htd ifld rfld lsld urf dem brid tun cons frn unf ubld veg wtr area gen',
  );
  const facts = Object.values(FEATURE_TYPE_FACTS);
  for (const names of [
    facts.map(({ name }) => name),
    facts.map(({ label }) => label.ja),
    facts.map(({ label }) => label.en),
  ]) {
    assert.equal(new Set(names).size, FEATURE_TYPES.length);
  }
  for (const { name, label } of facts) {
    assert.match(name, /モデル$/);
    // The short name is part of the long one, where roads and railways stand in brackets.
    assert.ok(name.replaceAll(/[（）]/g, '').includes(label.ja), name);
    assert.match(label.en, /^[A-Z][a-z]+( [a-z]+)?$/);
  }
});

test('every type is a body, water of a scenario, or a surface', () => {
  assert.deepEqual(typesOfNature('flood'), ['fld', 'tnm', 'htd', 'ifld', 'rfld']);
  assert.deepEqual(typesOfNature('surface'), ['wwy', 'luse', 'lsld', 'urf', 'dem', 'wtr', 'area']);
  const all = (['flood', 'surface', 'object'] as const).flatMap(typesOfNature);
  assert.deepEqual(all.sort(), [...FEATURE_TYPES].sort());
});

test('nothing is known of a code that the specification lacks, nor of what every object has', () => {
  assert.equal(factsOfType('bldg'), FEATURE_TYPE_FACTS.bldg);
  for (const code of ['', 'BLDG', 'bldgs', 'constructor', 'toString', '__proto__']) {
    assert.equal(factsOfType(code), undefined, code);
  }
});
