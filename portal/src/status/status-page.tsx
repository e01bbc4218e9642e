export function StatusPage() {
  return <p>…</p>;
}
