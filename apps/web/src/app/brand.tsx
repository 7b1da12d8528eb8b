import { Link } from "react-router-dom";
import { Mark } from "#components/icons/mark.tsx";
import { useSite, useSystemName } from "#lib/site.ts";
import classes from "./brand.module.css";

/** Logo and name with a link to the home page. `compact` omits the name. */
export function Brand({ compact = false }: { compact?: boolean }) {
  const site = useSite();
  const name = useSystemName();
  return (
    <Link to="/" className={classes.brand} aria-label={name}>
      {site?.logo ? <img src={site.logo} alt="" height={28} className={classes.logo} /> : <Mark size={28} />}
      {compact ? null : <span className={classes.name}>{name}</span>}
    </Link>
  );
}
