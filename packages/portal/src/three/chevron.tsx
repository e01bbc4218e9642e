/** Says that a button or field opens something. */
export function Chevron() {
  return (
    <svg class="chevron" viewBox="0 0 10 10" aria-hidden="true">
      <path d="M2 3.5l3 3 3-3" />
    </svg>
  );
}
