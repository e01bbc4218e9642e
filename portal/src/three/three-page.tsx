export function ThreePage() {
  return <p>…</p>;
}
