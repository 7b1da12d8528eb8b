import { Providers } from "./providers.tsx";
import { Root } from "./root.tsx";

export function App() {
  return (
    <Providers>
      <Root />
    </Providers>
  );
}
