/** The address without a session: the log lists the calls of all of them. */
import { Navigate } from "react-router-dom";

export default function SessionsPage() {
  return <Navigate to="/panel/log" replace />;
}
