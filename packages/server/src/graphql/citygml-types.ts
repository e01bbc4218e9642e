/** The type for CityGML packages. */
import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from 'graphql';
import type { CityGmlNode } from './citygml-node.ts';
import { type Field, listOf, plain, type QueryContext, required, resolved } from './fields.ts';
import { Node } from './node-type.ts';
import { Any, AreaCode } from './scalars.ts';
import type { SharedTypes } from './shared-types.ts';

/** CityGML packages. */
export function citygmlTypes(types: SharedTypes) {
  const CityGMLDataset: GraphQLObjectType = new GraphQLObjectType<CityGmlNode, QueryContext>({
    name: 'CityGMLDataset',
    description: 'CityGML of a municipality and year: one zip with all feature types.',
    interfaces: [Node],
    fields: (): Record<string, Field<CityGmlNode>> => ({
      id: plain(
        required(GraphQLID),
        '`cg_13101` for the newest year of an area, `cg_13101_2020` for older ones.',
      ),
      year: plain(required(GraphQLInt), 'Fiscal year in which the data was produced.'),
      registrationYear: plain(required(GraphQLInt), 'Fiscal year in which the data was registered.'),
      prefectureId: plain(required(GraphQLID), 'Id of its prefecture.'),
      prefectureCode: plain(required(AreaCode), 'Code of its prefecture.'),
      prefecture: resolved<CityGmlNode>(
        required(types.Prefecture),
        'Its prefecture.',
        (node) => node.prefecture,
      ),
      cityId: plain(required(GraphQLID), 'Id of its municipality.'),
      cityCode: plain(
        required(AreaCode),
        "Code of its municipality; of a prefecture's own package that of the prefecture.",
      ),
      city: resolved<CityGmlNode>(required(types.City), 'Its municipality.', (node) => node.city),
      plateauSpecMinorId: plain(
        required(GraphQLID),
        'Id of the edition of the specification that it follows.',
      ),
      plateauSpecMinor: resolved<CityGmlNode>(
        required(types.PlateauSpecMinor),
        'The edition of the specification that it follows.',
        (node) => node.plateauSpecMinor,
      ),
      url: plain(required(GraphQLString), 'The zip.'),
      compositeUrl: plain(required(GraphQLString), 'A lasting address that redirects to the zip.'),
      fileSize: plain(GraphQLFloat, 'Bytes of the zip; an integer that may exceed 32 bits.'),
      featureTypes: plain(listOf(GraphQLString), 'Codes of the feature types that it contains.'),
      metadataZipUrls: plain(
        listOf(GraphQLString),
        'Zips of its code lists, metadata, schemas and specification.',
      ),
      license: plain(GraphQLString, 'Licence, where the metadata tells.'),
      bbox: plain(
        new GraphQLList(new GraphQLNonNull(GraphQLFloat)),
        'Extent: west, south, east, north in degrees.',
      ),
      tables: plain(
        new GraphQLList(
          new GraphQLNonNull(
            new GraphQLObjectType({
              name: 'FeatureTable',
              description: 'All features of one type of the package as a GeoParquet 1.1 file.',
              fields: {
                type: plain(required(GraphQLString), 'Feature-type code.'),
                parquetUrl: plain(required(GraphQLString), 'The file, which answers ranges.'),
                features: plain(required(GraphQLInt), 'Rows.'),
                fileSize: plain(required(GraphQLFloat), 'Bytes; an integer that may exceed 32 bits.'),
                sha256: plain(required(GraphQLString), 'SHA-256 of the file, hexadecimal.'),
              },
            }),
          ),
        ),
        'Its features as GeoParquet, a file for each type; null until they are made.',
      ),
      quality: plain(
        new GraphQLObjectType({
          name: 'PackageQuality',
          description: 'What an inspection by the official rules of quality found.',
          fields: {
            spec: plain(required(GraphQLInt), 'Product specification: 4 or 6.'),
            errors: plain(required(GraphQLInt), 'Errors.'),
            warnings: plain(required(GraphQLInt), 'Warnings, which do not decide.'),
            complete: plain(required(GraphQLBoolean), 'True when nothing was passed over.'),
            scope: plain(
              GraphQLString,
              '`ingestion`: only the checks that need no geometry have looked. `inspection`: all that were asked for.',
            ),
            checkedAt: plain(required(GraphQLString), 'When the package was inspected: ISO 8601, UTC.'),
          },
        }),
        'What an inspection found; null for a package that was not inspected.',
      ),
      admin: plain(Any, 'Notes for administrators; always null here.'),
    }),
  });

  return { CityGMLDataset };
}
