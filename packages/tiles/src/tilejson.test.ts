import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { buildTileJson, type TileJsonSource } from './tilejson.ts';

const schema = JSON.parse(readFileSync(join(import.meta.dirname, 'schema/tilejson-3.0.schema.json'), 'utf8'));
const validate = new Ajv2020({ allErrors: true, strictTypes: false, strictTuples: false }).compile(schema);

const source: TileJsonSource = {
  template: 'http://localhost:8080/assets/59/x/p/{z}/{x}/{y}.mvt',
  name: '道路（沼津市）',
  attribution: 'CC BY 4.0',
  vectorLayers: [
    { id: 'Road', minzoom: 0, maxzoom: 22, fields: { name: 'String' } },
    { id: 'Rail', fields: {} },
  ],
  minzoom: 8,
  maxzoom: 16,
  bounds: { west: 138.75, south: 35, east: 139, north: 35.25 },
};

describe('buildTileJson', () => {
  it('writes TileJSON 3.0.0', () => {
    const tilejson = buildTileJson(source);
    assert.ok(validate(tilejson), JSON.stringify(validate.errors));
    assert.deepEqual(tilejson, {
      tilejson: '3.0.0',
      name: '道路（沼津市）',
      attribution: 'CC BY 4.0',
      scheme: 'xyz',
      tiles: ['http://localhost:8080/assets/59/x/p/{z}/{x}/{y}.mvt'],
      minzoom: 8,
      maxzoom: 16,
      bounds: [138.75, 35, 139, 35.25],
      center: [138.875, 35.125, 10],
      vector_layers: [
        { id: 'Road', minzoom: 8, maxzoom: 16, fields: { name: 'String' } },
        { id: 'Rail', fields: {} },
      ],
    });
  });

  it('keeps a given centre and leaves empty texts out', () => {
    const tilejson = buildTileJson({
      ...source,
      center: [138.8, 35.1, 12],
      attribution: '',
      description: null,
    });
    assert.deepEqual(tilejson.center, [138.8, 35.1, 12]);
    assert.equal('attribution' in tilejson || 'description' in tilejson, false);
  });

  it('refuses a template without its variables', () => {
    assert.throws(
      () => buildTileJson({ ...source, template: 'http://localhost/{z}/{x}.mvt' }),
      /lacks one of/,
    );
  });
});
