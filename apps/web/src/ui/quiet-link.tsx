/** A link in a list or table that looks like the text around it until the pointer is over it. */
import { Link, type LinkProps } from "react-router-dom";
import classes from "./quiet-link.module.css";

export function QuietLink(props: Omit<LinkProps, "className">) {
  return <Link {...props} className={classes.link} />;
}
