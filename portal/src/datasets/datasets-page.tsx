export function DatasetsPage() {
  return <p>…</p>;
}
