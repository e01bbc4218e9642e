/**
 * Types for datasets, their items and their types. Of the three families of the interface this service publishes city
 * models; the other two are in the schema because front ends name them in fragments.
 */
import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from 'graphql';
import type { DatasetItemNode, DatasetNode } from './dataset-node.ts';
import { type Field, listOf, plain, type QueryContext, required, resolved } from './fields.ts';
import { type DatasetsInput as DatasetsArguments, filterDatasets } from './filters.ts';
import {
  DatasetFormat,
  DatasetsInput,
  DatasetTypeCategory,
  FloodingScale,
  RiverAdmin,
  Texture,
} from './inputs.ts';
import { Node } from './node-type.ts';
import { Any, AreaCode } from './scalars.ts';
import type { SharedTypes } from './shared-types.ts';
import type { DatasetTypeNode } from './spec-node.ts';

const STRINGS = new GraphQLList(new GraphQLNonNull(GraphQLString));

type AnyField = Record<string, Field<unknown>>;

/** Datasets, items and types, of each the interface and three families. */
export function datasetTypes(types: SharedTypes) {
  function datasetFields(
    type: () => GraphQLInterfaceType | GraphQLObjectType,
    item: () => GraphQLInterfaceType | GraphQLObjectType,
  ): Record<string, Field<DatasetNode>> {
    return {
      id: plain(required(GraphQLID), 'Stable id: `d_13101_bldg_2023`.'),
      name: plain(required(GraphQLString), 'Name: type, part and area.'),
      description: plain(GraphQLString, 'What it is, for people.'),
      year: plain(required(GraphQLInt), 'Fiscal year in which the data was produced.'),
      registerationYear: plain(
        required(GraphQLInt),
        'Same as `registrationYear`, in the spelling that clients know.',
      ),
      registrationYear: plain(required(GraphQLInt), 'Fiscal year in which the data was registered.'),
      groups: plain(STRINGS, 'Groups that it belongs to, from the outermost; null here.'),
      openDataUrl: plain(GraphQLString, 'Its page in an open-data catalogue; null where unknown.'),
      license: plain(GraphQLString, 'Licence, where the metadata tells.'),
      bbox: plain(
        new GraphQLList(new GraphQLNonNull(GraphQLFloat)),
        'Extent: west, south, east, north in degrees.',
      ),
      prefectureId: plain(GraphQLID, 'Id of its prefecture.'),
      prefectureCode: plain(AreaCode, 'Code of its prefecture.'),
      cityId: plain(GraphQLID, "Id of its municipality; null for a prefecture's own data."),
      cityCode: plain(AreaCode, "Code of its municipality; null for a prefecture's own data."),
      wardId: plain(GraphQLID, 'Id of its ward; null where it is not of one ward.'),
      wardCode: plain(AreaCode, 'Code of its ward; null where it is not of one ward.'),
      typeId: plain(required(GraphQLID), 'Id of its type.'),
      typeCode: plain(required(GraphQLString), 'Code of its type: `bldg`.'),
      prefecture: resolved<DatasetNode>(types.Prefecture, 'Its prefecture.', (dataset) => dataset.prefecture),
      city: resolved<DatasetNode>(
        types.City,
        "Its municipality; null for a prefecture's own data.",
        (dataset) => dataset.city,
      ),
      ward: resolved<DatasetNode>(
        types.Ward,
        'Its ward; null where it is not of one ward.',
        (dataset) => dataset.ward,
      ),
      type: resolved<DatasetNode>(required(type()), 'Its type.', (dataset) => dataset.type),
      items: resolved<DatasetNode>(
        listOf(item()),
        'What there is of it: 3D Tiles before vector tiles, flood scales and LODs upwards, textured first.',
        (dataset) => dataset.items,
      ),
      ar: plain(required(GraphQLBoolean), 'Whether it is made for augmented reality.'),
      admin: plain(Any, 'Notes for administrators; always null here.'),
    };
  }

  function itemFields(
    parent: () => GraphQLInterfaceType | GraphQLObjectType,
  ): Record<string, Field<DatasetItemNode>> {
    return {
      id: plain(required(GraphQLID), 'Stable id: `di_13101_bldg_2023_3dtiles_lod2`.'),
      format: plain(required(DatasetFormat), 'Format.'),
      name: plain(required(GraphQLString), 'What tells it from the other items: `LOD2（テクスチャなし）`.'),
      url: plain(
        required(GraphQLString),
        'The tileset.json of 3D Tiles, or the URL template of vector tiles with `{z}`, `{x}` and `{y}`.',
      ),
      layers: plain(STRINGS, 'Names of the layers of vector tiles; null for 3D Tiles.'),
      parentId: plain(required(GraphQLID), 'Id of its dataset.'),
      parent: resolved<DatasetItemNode>(parent(), 'Its dataset.', (item) => item.parent),
    };
  }

  function typeFields(): Record<string, Field<DatasetTypeNode>> {
    return {
      id: plain(required(GraphQLID), 'Stable id: `dt_bldg_4`.'),
      code: plain(required(GraphQLString), 'Code: `bldg`.'),
      name: plain(required(GraphQLString), 'Name: 建築物モデル.'),
      category: plain(required(DatasetTypeCategory), 'Category.'),
      order: plain(required(GraphQLInt), 'Place in lists.'),
      datasets: resolved<DatasetTypeNode>(
        listOf(Dataset),
        'Datasets of the type.',
        (type, { input }, { graph, budget }) =>
          filterDatasets(graph.datasetsBy(type), (input ?? {}) as DatasetsArguments, budget),
        { input: { type: DatasetsInput, description: 'Which of them; `areaCodes` is ignored.' } },
      ),
    };
  }

  const Dataset: GraphQLInterfaceType = new GraphQLInterfaceType({
    name: 'Dataset',
    description: 'Data of one area, type and year.',
    interfaces: [Node],
    fields: () =>
      datasetFields(
        () => DatasetType,
        () => DatasetItem,
      ) as AnyField,
  });

  const DatasetItem: GraphQLInterfaceType = new GraphQLInterfaceType({
    name: 'DatasetItem',
    description: 'One thing of a dataset that can be shown: a format, LOD and texture, or a flood scale.',
    interfaces: [Node],
    fields: () => itemFields(() => Dataset) as AnyField,
  });

  const DatasetType: GraphQLInterfaceType = new GraphQLInterfaceType({
    name: 'DatasetType',
    description: 'A type of datasets.',
    interfaces: [Node],
    fields: () => typeFields() as AnyField,
  });

  const River = new GraphQLObjectType<{ name: string; admin: string }, QueryContext>({
    name: 'River',
    description: 'The river of a flood model.',
    fields: {
      name: plain(required(GraphQLString), 'Name.'),
      admin: plain(required(RiverAdmin), 'Who administers it.'),
    },
  });

  const PlateauDataset: GraphQLObjectType = new GraphQLObjectType<DatasetNode, QueryContext>({
    name: 'PlateauDataset',
    description: 'A city model.',
    interfaces: [Dataset, Node],
    fields: () => ({
      ...datasetFields(
        () => PlateauDatasetType,
        () => PlateauDatasetItem,
      ),
      subname: plain<DatasetNode>(
        GraphQLString,
        'Part of the type that it is: a river, a zone; null for all of it.',
      ),
      subcode: plain<DatasetNode>(GraphQLString, 'Code of that part.'),
      suborder: plain<DatasetNode>(GraphQLInt, 'Place among the parts of its type in its area, from 1.'),
      plateauSpecMinorId: plain<DatasetNode>(
        required(GraphQLID),
        'Id of the edition of the specification that it follows.',
      ),
      plateauSpecMinor: resolved<DatasetNode>(
        required(types.PlateauSpecMinor),
        'The edition of the specification that it follows.',
        (dataset) => dataset.plateauSpecMinor,
      ),
      pictureUrl: plain<DatasetNode>(
        GraphQLString,
        'A light picture, 600 by 315 pixels, of the item that shows most; null where none was drawn.',
      ),
      river: resolved<DatasetNode>(
        River,
        'The river of a flood model; null for other types.',
        (dataset) => dataset.river,
      ),
    }),
  });

  const PlateauDatasetItem: GraphQLObjectType = new GraphQLObjectType<DatasetItemNode, QueryContext>({
    name: 'PlateauDatasetItem',
    description: 'One thing of a city model that can be shown.',
    interfaces: [DatasetItem, Node],
    fields: () => ({
      ...itemFields(() => PlateauDataset),
      lod: plain<DatasetItemNode>(GraphQLInt, 'LOD.'),
      lodEx: plain<DatasetItemNode>(
        GraphQLInt,
        'LOD with its second digit where the name has one: 33 for LOD 3.3.',
      ),
      texture: plain<DatasetItemNode>(Texture, 'Whether 3D Tiles have textures; null for vector tiles.'),
      floodingScale: plain<DatasetItemNode>(
        FloodingScale,
        'Rain that a flood model assumes; null for other types.',
      ),
      floodingScaleSuffix: plain<DatasetItemNode>(
        GraphQLString,
        'What tells several models of the same scale apart.',
      ),
      fileSize: plain<DatasetItemNode>(
        GraphQLFloat,
        'Bytes of the package as a zip; an integer that may exceed 32 bits.',
      ),
      formatVersion: plain<DatasetItemNode>(
        GraphQLString,
        '`1.0` or `1.1` for 3D Tiles; null for vector tiles.',
      ),
      compositeUrl: plain<DatasetItemNode>(
        GraphQLString,
        'A lasting address of this item and year: a composite tileset.json, or the TileJSON of vector tiles.',
      ),
      latestUrl: plain<DatasetItemNode>(
        GraphQLString,
        'The same with `latest` for the year; null where a newer year exists.',
      ),
      pictureUrl: plain<DatasetItemNode>(
        GraphQLString,
        'A light picture, 600 by 315 pixels; null where none was drawn.',
      ),
    }),
  });

  const PlateauDatasetType: GraphQLObjectType = new GraphQLObjectType<DatasetTypeNode, QueryContext>({
    name: 'PlateauDatasetType',
    description: 'A type of city models in a major edition of the specification.',
    interfaces: [DatasetType, Node],
    fields: () => ({
      ...typeFields(),
      plateauSpecId: plain<DatasetTypeNode>(required(GraphQLID), 'Id of the major edition.'),
      plateauSpec: resolved<DatasetTypeNode>(
        types.PlateauSpec,
        'The major edition.',
        (type) => type.plateauSpec,
      ),
      year: plain<DatasetTypeNode>(
        required(GraphQLInt),
        'Fiscal year of the oldest data here that follows it.',
      ),
      flood: plain<DatasetTypeNode>(
        required(GraphQLBoolean),
        'Whether it models water over land, so that rivers and scales apply.',
      ),
    }),
  });

  const NOT_HERE = 'This service publishes none.';

  const RelatedDataset: GraphQLObjectType = new GraphQLObjectType<DatasetNode, QueryContext>({
    name: 'RelatedDataset',
    description: `Data that goes with city models: shelters, landmarks, stations, borders. ${NOT_HERE}`,
    interfaces: [Dataset, Node],
    fields: () =>
      datasetFields(
        () => RelatedDatasetType,
        () => RelatedDatasetItem,
      ),
  });

  const RelatedDatasetItem: GraphQLObjectType = new GraphQLObjectType<DatasetItemNode, QueryContext>({
    name: 'RelatedDatasetItem',
    description: `One thing of a related dataset. ${NOT_HERE}`,
    interfaces: [DatasetItem, Node],
    fields: () => ({
      ...itemFields(() => RelatedDataset),
      originalFormat: plain<DatasetItemNode>(DatasetFormat, 'Format before conversion.'),
      originalUrl: plain<DatasetItemNode>(GraphQLString, 'The data before conversion.'),
    }),
  });

  const RelatedDatasetType: GraphQLObjectType = new GraphQLObjectType<DatasetTypeNode, QueryContext>({
    name: 'RelatedDatasetType',
    description: `A type of related datasets. ${NOT_HERE}`,
    interfaces: [DatasetType, Node],
    fields: typeFields,
  });

  const GenericDataset: GraphQLObjectType = new GraphQLObjectType<DatasetNode, QueryContext>({
    name: 'GenericDataset',
    description: `Other data, such as that of use cases. ${NOT_HERE}`,
    interfaces: [Dataset, Node],
    fields: () =>
      datasetFields(
        () => GenericDatasetType,
        () => GenericDatasetItem,
      ),
  });

  const GenericDatasetItem: GraphQLObjectType = new GraphQLObjectType<DatasetItemNode, QueryContext>({
    name: 'GenericDatasetItem',
    description: `One thing of other data. ${NOT_HERE}`,
    interfaces: [DatasetItem, Node],
    fields: () => itemFields(() => GenericDataset),
  });

  const GenericDatasetType: GraphQLObjectType = new GraphQLObjectType<DatasetTypeNode, QueryContext>({
    name: 'GenericDatasetType',
    description: `A type of other data. ${NOT_HERE}`,
    interfaces: [DatasetType, Node],
    fields: typeFields,
  });

  return {
    Dataset,
    DatasetItem,
    DatasetType,
    PlateauDataset,
    PlateauDatasetItem,
    PlateauDatasetType,
    RelatedDataset,
    RelatedDatasetItem,
    RelatedDatasetType,
    GenericDataset,
    GenericDatasetItem,
    GenericDatasetType,
  };
}
