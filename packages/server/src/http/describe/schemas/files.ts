/** Files by condition (operation 7). */
import Type from 'typebox';
import {
  bbox,
  cityCode,
  fileSize,
  integer,
  nullable,
  object,
  record,
  ref,
  registrationYear,
  text,
  url,
  year,
} from './common.ts';

const lodCount = nullable(Type.Integer(), 'Features with geometry at this LOD; null where unknown.');

export const CityGmlFile = object(
  {
    code: Type.String({ pattern: '^\\d*$', description: 'Mesh code; empty outside of the meshes of Japan.' }),
    maxLod: integer('Highest LOD in the file.'),
    url: url('The file.'),
    fileSize,
    features: integer('Features in the file.'),
    lod0: lodCount,
    lod1: lodCount,
    lod2: lodCount,
    lod3: lodCount,
    lod4: lodCount,
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the file.' }),
    bbox,
  },
  {},
  'A CityGML file.',
);

const fileList = {
  cityCode,
  cityName: text('Municipality name.'),
  year,
  registrationYear,
  spec: text('Version of the product specification.'),
  url: url('The zip that the files are from.'),
  metadataZipUrls: Type.Array(url('Code lists, metadata, schemas or specification as a zip.')),
  featureTypes: record(
    object({ name: text('Japanese name.') }),
    'Feature-type code → name; the same keys as `files`.',
  ),
  files: record(Type.Array(ref('CityGmlFile')), 'Feature-type code → files.'),
};

export const FileList = object(fileList, {}, 'Files of one package.');

export const FileListResult = object(
  {
    ...fileList,
    cities: Type.Array(ref('FileList'), { description: 'Files by package, newest year first.' }),
  },
  {},
  'All files that were found. The names are those of the municipality with the most files. `cities` lists the files ' +
    'by package.',
);
