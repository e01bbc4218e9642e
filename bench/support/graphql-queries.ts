/** Queries that benchmarks send. */
/** An area with its datasets and items. */
export const AREA = `query Area($code: AreaCode!) { area(code: $code) { id code name
  datasets { id name year typeCode items { id format name url ... on PlateauDatasetItem { lod texture } } } } }`;
/** The same of the whole country. */
export const COUNTRY = `{ areas(input: { areaTypes: PREFECTURE }) { id code name ... on Prefecture { cities { id \
code name
  datasets { id name year typeCode items { id format name url ... on PlateauDatasetItem { lod texture } } } } } } }`;
/** Every field that a dataset and an item have. */
export const EVERYTHING = `{ areas(input: { areaTypes: PREFECTURE }) { id type code name bbox ... on Prefecture { \
cities { id code name bbox
  planarCrsEpsgCode citygmlId citygml { id year url fileSize featureTypes metadataZipUrls } prefecture { id }
  datasets { id name description year registrationYear registerationYear groups openDataUrl license bbox prefectureId
    prefectureCode cityId cityCode wardId wardCode typeId typeCode prefecture { id name } city { id name } ward { \
id name }
    type { id code name category order } ar admin ... on PlateauDataset { subname subcode suborder plateauSpecMinorId
    plateauSpecMinor { version } river { name admin } }
    items { id format name url layers parentId ... on PlateauDatasetItem { lod lodEx texture floodingScale
    floodingScaleSuffix fileSize formatVersion compositeUrl latestUrl } } } } } } }`;
