/**
 * Leaves out parts of libraries that the console does not use, and that the bundler cannot recognize as unused. Each list
 * is for one version. For another one the library stays whole, and the build says so.
 */
import { readFileSync } from "node:fs";
import type { Plugin } from "vite";

type Library = {
  name: string;
  version: string;
  file: RegExp;
  /** Functions whose bodies are left out, with what only they call. */
  functions?: readonly string[];
  edits: readonly [RegExp, string][];
};

/**
 * The console has a plain `<Router>`. The contexts of data routers, frameworks and servers are always empty there, and
 * only pages of a data router are marked as such.
 */
const router: Library = {
  name: "react-router",
  version: "7.18.5",
  file: /\/react-router\/dist\/production\/chunk-7RTFRKQW\.mjs$/,
  edits: [
    [/\bReact\d*\.useContext\((?:DataRouter(?:State)?|ViewTransition|Framework|RSCRouter)Context\)/g, "null"],
    [
      /let \{ isDataRoute \} = React\d*\.useContext\(RouteContext\);\s*return isDataRoute \? \w+\(\) :/,
      "return",
    ],
    [/= dataRouterOpts\?\.(?:state|onError)\b/g, "= null"],
    [/= dataRouterOpts && dataRouterOpts\.state\.matches\.length \?[\s\S]*?: (?=matchRoutes\()/, "= "],
    [/if \(dataRouterOpts && dataRouterState\) \{/, "if (false) {"],
    [/= usePrefetchBehavior\(\s*prefetch,\s*rest\s*\)/, "= [false, null, null]"],
    [/\bshouldPrefetch && !isAbsolute \?/, "false ?"],
    [/ref: mergeRefs\(forwardedRef, prefetchRef\)/, "ref: forwardedRef"],
    [/^RenderErrorBoundary\.contextType = .*$/m, ""],
    // Messages about wrong use.
    [/^(\s*)(?:warning|invariant)\((?=\n|\w|!)/gm, "$1false && invariant("],
  ],
};

/** The theme has its own colours. Of those of the library, the default theme needs blue, and a few notes are yellow. */
const colors: Library = {
  name: "@mantine/core",
  version: "9.7.4",
  file: /\/@mantine\/core\/esm\/core\/MantineProvider\/default-colors\.mjs$/,
  edits: [[/^\t(?!yellow|blue)\w+: \[[^\]]*\],?$/gm, ""]],
};

/** The console writes no JSON Schemas. */
const schemas: Library = {
  name: "zod",
  version: "4.6.7",
  file: /\/zod\/v4\/classic\/schemas\.js$/,
  edits: [
    [/^\s*inst\._zod\.processJSONSchema = .*;$/gm, ""],
    [/return createToJSONSchemaMethod\(this, \{\}\)\(params\);/, "return undefined;"],
  ],
};

/**
 * The console is drawn in the browser, without `hydrateRoot`
 * and what is named below.
 */
const react: Library = {
  name: "react-dom",
  version: "19.3.1",
  file: /\/react-dom\/cjs\/react-dom-client\.production\.js$/,
  functions: [
    // Hydration.
    "prepareToHydrateHostInstance",
    "throwOnHydrationMismatch",
    "queueHydrationError",
    "updateDehydratedSuspenseComponent",
    "mountHostRootWithoutHydrating",
    "canHydrateInstance",
    "canHydrateTextInstance",
    "canHydrateHydrationBoundary",
    "attemptExplicitHydrationTarget",
    "resetHydrationState",
    "createFiberFromDehydratedFragment",
    "clearHydrationBoundary",
    "queueIfContinuousEvent",
    // View transitions.
    "startViewTransition",
    "trackEnterViewTransitions",
    "commitEnterViewTransitions",
    "commitExitViewTransitions",
    "commitDeletedPairViewTransitions",
    "commitNestedViewTransitions",
    "commitAfterMutationEffectsOnFiber",
    "restoreEnterOrExitViewTransitions",
    "restoreNestedViewTransitions",
    "restoreViewTransitionOnHostInstances",
    "applyViewTransitionToHostInstances",
    "applyViewTransitionToHostInstancesRecursive",
    "measureNestedViewTransitions",
    "scheduleViewTransitionEvent",
    "createViewTransitionInstance",
    // `<SuspenseList>`.
    "updateSuspenseListComponent",
    // Refs of fragments.
    "commitNewChildToFragmentInstances",
    "commitFragmentInstanceInsertionEffects",
    "commitFragmentInstanceDeletionEffects",
    // Stacks of components, which no error boundary reads.
    "describeNativeComponentFrame",
    // Loading ahead.
    "prefetchDNS",
    "preconnect",
    "preload",
    "preloadModule",
    "preinitScript",
    "preinitStyle",
    "preinitModuleScript",
  ],
  edits: [
    [/^(?:FragmentInstance|ViewTransitionPseudoElement)\.prototype\.\w+ = function[\s\S]*?^\};$/gm, ""],
    [/^exports\.hydrateRoot = [\s\S]*?^\};$/m, ""],
    [/\bisHydrating = (!0|!1)(?=[;)])/g, "$1"],
    // Except for its declaration, and a parameter with the same name.
    [/\bisHydrating\b(?!\$| = |\n\) \{)/g, "!1"],
    [/(?<!function )\bupgradeHydrationErrorsToRecoverable\(\)/g, "null"],
    [/\bpopHydrationState\(workInProgress\)/g, "!1"],
    [/\bprevState\.isDehydrated\b/g, "!1"],
    [/\bshouldStartViewTransition\b(?! = !1)/g, "!1"],
  ],
};

export function leanLibraries(libraries: readonly Library[] = [router, colors, schemas, react]): Plugin {
  return {
    name: "lean-libraries",
    apply: "build",
    enforce: "pre",
    transform(code, id) {
      const library = libraries.find(({ file }) => file.test(id));
      if (library === undefined) return null;
      const { name, version, functions = [], edits } = library;
      if (versionOf(id, name) !== version) {
        this.warn(`The list of unused parts of ${name} is for ${version}. Check it for this version.`);
        return null;
      }
      const lean = withoutBodies(code, functions, this.parse(code).body);
      return { code: edits.reduce((text, [pattern, by]) => replaced(text, pattern, by), lean), map: null };
    },
  };
}

function versionOf(id: string, name: string): string {
  const folder = id.slice(0, id.lastIndexOf(`/${name}/`) + name.length + 2);
  return (JSON.parse(readFileSync(`${folder}package.json`, "utf8")) as { version: string }).version;
}

function replaced(text: string, pattern: RegExp, by: string): string {
  if (text.search(pattern) < 0) throw new Error(`${String(pattern)} is not in the library.`);
  return text.replace(pattern, by);
}

type Declared = { type: string; id?: { name: string }; body?: { start: number; end: number } };

/** Empties the bodies of functions at the top level. */
function withoutBodies(code: string, names: readonly string[], statements: readonly object[]): string {
  const found = (statements as Declared[]).filter(
    ({ type, id }) => type === "FunctionDeclaration" && names.includes(id?.name ?? ""),
  );
  if (found.length !== names.length) throw new Error(`Not all of ${names.join(", ")} are in the library.`);
  let lean = code;
  // From the end, so that the positions before stay valid.
  for (const { body } of found.toReversed())
    if (body) lean = `${lean.slice(0, body.start)}{}${lean.slice(body.end)}`;
  return lean;
}
