import { useEffect, useRef } from "react";
import { Outlet, useLocation, useNavigation } from "react-router-dom";
import classes from "./root.module.css";

/** Above all screens: starts each page at its top and shows that the next one is on its way. */
export function Root() {
  const { pathname } = useLocation();
  const navigation = useNavigation();
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    window.scrollTo(0, 0);
  }, [pathname]);
  return (
    <>
      {navigation.state === "loading" ? <div className={classes.line} aria-hidden /> : null}
      <Outlet />
    </>
  );
}
