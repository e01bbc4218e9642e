/** Types for areas. */
import {
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from 'graphql';
import type { AreaNode } from './area-node.ts';
import { type Field, listOf, plain, type QueryContext, required, resolved } from './fields.ts';
import { type DatasetsInput as DatasetsArguments, findDatasetsOf, firstOf } from './filters.ts';
import { AreaTypeEnum, DatasetsInput, LIMIT } from './inputs.ts';
import { Node } from './node-type.ts';
import { AreaCode } from './scalars.ts';
import type { SharedTypes } from './shared-types.ts';

type Fields = Record<string, Field<AreaNode>>;

const BBOX = new GraphQLList(new GraphQLNonNull(GraphQLFloat));

const INPUT = { type: DatasetsInput, description: 'Which of them; `areaCodes` is ignored.' };

/** Areas; the types around them are looked up when the schema reads their fields. */
export function areaTypes(types: SharedTypes) {
  function areaFields(): Fields {
    return {
      id: plain(required(GraphQLID), 'Stable id: `p_13`, `c_13101` or `w_01101`.'),
      type: plain(required(AreaTypeEnum), 'Kind of the area.'),
      code: plain(required(AreaCode), 'Code of the area.'),
      name: plain(required(GraphQLString), 'Name of the area.'),
      datasets: resolved<AreaNode>(
        listOf(types.Dataset),
        'Datasets of the area and of all that lies in it, by area code, type and year, the newest first.',
        (area, { input, limit }, { graph, budget }) =>
          firstOf(findDatasetsOf(graph, area, (input ?? {}) as DatasetsArguments, budget), limit),
        { input: INPUT, limit: LIMIT },
      ),
      datasetCount: resolved<AreaNode>(
        required(GraphQLInt),
        'How many datasets the area and all that lies in it have.',
        (area, { input }, { graph, budget }) =>
          findDatasetsOf(graph, area, (input ?? {}) as DatasetsArguments, budget).length,
        { input: INPUT },
      ),
      parentId: plain(GraphQLID, 'Id of the area around it; null for a prefecture.'),
      parent: resolved<AreaNode>(Area, 'The area around it; null for a prefecture.', (area) => area.parent),
      children: resolved<AreaNode>(
        listOf(Area),
        'Areas directly below it that have anything, by code.',
        (area) => area.children,
      ),
      bbox: plain(BBOX, 'Extent of its data: west, south, east, north in degrees.'),
    };
  }

  function prefectureFields(): Fields {
    return {
      prefectureId: plain(required(GraphQLID), 'Id of its prefecture.'),
      prefectureCode: plain(required(AreaCode), 'Code of its prefecture.'),
      prefecture: resolved<AreaNode>(Prefecture, 'Its prefecture.', (area) => area.prefecture),
    };
  }

  const Area: GraphQLInterfaceType = new GraphQLInterfaceType({
    name: 'Area',
    description: 'A prefecture, a municipality, or a ward of a city that is divided into wards.',
    interfaces: [Node],
    fields: areaFields as () => Record<string, Field<unknown>>,
  });

  function areaType(name: string, description: string, own: () => Fields): GraphQLObjectType {
    return new GraphQLObjectType<AreaNode, QueryContext>({
      name,
      description,
      interfaces: [Area, Node],
      fields: () => ({ ...areaFields(), ...own() }),
    });
  }

  const Prefecture: GraphQLObjectType = areaType('Prefecture', 'A prefecture (都道府県).', () => ({
    cities: resolved<AreaNode>(
      listOf(City),
      'Its municipalities that have anything, those with CityGML only included, by code.',
      (area) => area.children,
    ),
  }));

  const City: GraphQLObjectType = areaType('City', 'A municipality (市区町村).', () => ({
    ...prefectureFields(),
    wards: resolved<AreaNode>(
      listOf(Ward),
      'Its wards that have data of their own, by code.',
      (area) => area.children,
    ),
    planarCrsEpsgCode: plain(
      GraphQLString,
      'EPSG code of the plane rectangular coordinate system on JGD2011 that is used there, e.g. `6677`.',
    ),
    citygmlId: plain(GraphQLID, 'Id of its newest CityGML.'),
    citygml: resolved<AreaNode>(types.CityGMLDataset, 'Its newest CityGML.', (area, _args, { graph }) =>
      area.citygmlId === null ? null : graph.node(area.citygmlId),
    ),
  }));

  const Ward: GraphQLObjectType = areaType(
    'Ward',
    'A ward (区) of a designated city, or of Tokyo where data is published for all special wards together.',
    () => ({
      ...prefectureFields(),
      cityId: plain(required(GraphQLID), 'Id of its city.'),
      cityCode: plain(required(AreaCode), 'Code of its city.'),
      city: resolved<AreaNode>(City, 'Its city.', (area) => area.city),
    }),
  );

  return { Area, Prefecture, City, Ward };
}
