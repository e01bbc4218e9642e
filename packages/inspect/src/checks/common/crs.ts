/** L05: the coordinate reference system of a file. */
import type { XmlElement } from '@citymodel/citygml';
import { defineCheck } from '../../check.ts';

const BASE = 'http://www.opengis.net/def/crs/EPSG/0/';
/** JGD2011 with heights and without. */
const USUAL = new Set([`${BASE}6697`, `${BASE}6668`]);
/** Plane rectangular systems of JGD2011 with heights, which underground facilities may have. */
const PLANE = new Set(Array.from({ length: 13 }, (_, zone) => `${BASE}${10_162 + zone}`));

export const CRS = defineCheck({
  code: 'L05',
  name: 'L05CRS識別子',
  title: { ja: '座標参照系の識別子', en: 'Coordinate reference system' },
  rule: {
    ja: '最初の gml:Envelope の srsName が EPSG:6697 または EPSG:6668 の正式な識別子であること（地下埋設物は EPSG:10162 から 10174 も可）。',
    en:
      'The srsName of the first gml:Envelope is the identifier of EPSG:6697 or EPSG:6668; utility networks may ' +
      'also have EPSG:10162 to 10174.',
  },
  severity: 'error',
  specs: [4, 6],
  folders: null,
  table: null,
  summary: 'common',
  inPassing: 'extent',
  open(file) {
    let first: string | null | undefined;
    return {
      looksAt: (name) => name === 'gml:Envelope',
      element({ name, attributes }: XmlElement) {
        if (first === undefined && name === 'gml:Envelope') first = attributes.srsName ?? null;
      },
      end() {
        const srsName = file.envelope.srsName ?? first;
        if (srsName === undefined || srsName === null) return;
        if (USUAL.has(srsName) || (file.folder === 'unf' && PLANE.has(srsName))) return;
        file.report({ id: null, ref: srsName, message: `The coordinate reference system is ${srsName}.` });
      },
    };
  },
});
