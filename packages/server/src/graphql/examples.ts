/** Queries to begin with: GraphiQL opens with them, the documentation shows them, and the tests run them. */
export interface ExampleQuery {
  title: string;
  query: string;
  /** JSON. */
  variables: string;
}

/** Examples about one municipality of the catalogue. */
export function exampleQueries(area: string): ExampleQuery[] {
  const prefecture = area.slice(0, 2);
  return [
    {
      title: 'Datasets of a municipality, with what to load',
      query: `# Datasets of a municipality, with what to load
query AreaDatasets($code: AreaCode!) {
  area(code: $code) {
    id
    name
    bbox
    datasets(input: { includeTypes: ["bldg", "tran", "fld"] }) {
      name
      year
      items {
        name
        format
        url
        ... on PlateauDatasetItem {
          lod
          texture
          floodingScale
        }
      }
    }
  }
}
`,
      variables: JSON.stringify({ code: area }, null, 2),
    },
    {
      title: 'Prefectures and their municipalities',
      query: `# Prefectures and their municipalities
query Prefectures {
  areas(input: { areaTypes: PREFECTURE }) {
    code
    name
    ... on Prefecture {
      cities {
        code
        name
        bbox
        planarCrsEpsgCode
      }
    }
  }
}
`,
      variables: '',
    },
    {
      title: 'CityGML of a prefecture',
      query: `# CityGML of a prefecture
query CityGml($input: CitygmlDatasetsInput!) {
  citygmlDatasets(input: $input) {
    id
    cityCode
    year
    url
    fileSize
    featureTypes
    metadataZipUrls
  }
}
`,
      variables: JSON.stringify({ input: { prefectureCodes: [prefecture] } }, null, 2),
    },
    {
      title: 'Types of datasets',
      query: `# Types of datasets, and the editions of the specification that they follow
query Types {
  datasetTypes(input: { category: PLATEAU }) {
    code
    name
    order
    ... on PlateauDatasetType {
      flood
      plateauSpec {
        majorVersion
        minorVersions {
          version
        }
      }
    }
  }
  years
}
`,
      variables: '',
    },
  ];
}
