/** What index.html shows before anything is here, for as long as what a page needs is on its way. */
export function FirstLook() {
  return (
    <div className="first-look" aria-hidden="true" data-waiting>
      <div className="first-look-side">
        <svg viewBox="0 0 24 24">
          <rect width="24" height="24" rx="6" />
        </svg>
        <i />
        <i />
        <i />
        <i />
        <i />
      </div>
      <div className="first-look-main">
        <i />
        <i />
        <i />
        <i />
      </div>
    </div>
  );
}
