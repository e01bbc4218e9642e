import assert from 'node:assert/strict';
import test from 'node:test';
import { ServiceError } from '../../base/errors.ts';
import { formatMvtSpec, parseMvtSpec } from './mvt-spec.ts';

test('specs are read and written, malformed ones are 400', () => {
  for (const spec of [
    '13101-tran-latest',
    '13-luse-2023',
    'all-tran-latest',
    '13101-tran-lod2-2023',
    '13101-tran-lod33-interior-latest',
    '14130-urf_use-district-2023',
  ]) {
    assert.equal(formatMvtSpec(parseMvtSpec(spec)), spec);
  }
  for (const spec of [
    '',
    'al-tran-latest',
    '13101-tran',
    '13101-tran-maxlod2-latest',
    '13101-tran-texture-latest',
    '131-tran-latest',
  ]) {
    assert.throws(
      () => parseMvtSpec(spec),
      (error) => error instanceof ServiceError && error.status === 400 && error.message === 'invalid spec',
      spec,
    );
  }
});
