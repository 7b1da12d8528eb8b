/** The splash shown until the first screen can be drawn. Its styles are in boot.css. */
export function Boot() {
  return (
    <div className="boot" role="status" aria-busy>
      <img src="favicon.svg" alt="" width={44} height={44} />
    </div>
  );
}
