// node scripts/check-chart.mjs: renders deploy/helm/gateway with each of its ci/*-values.yaml, compares the objects with
// the models of Kubernetes, and checks that the chart refuses values that cannot work. Needs helm 3.14 or newer.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { fail, root, say, toolEnvironment } from "./steps.mjs";

const chart = join(root, "deploy/helm/gateway");
const minimal = join(chart, "ci/minimal-values.yaml");

/** The kinds that the chart may contain, with the module of their model. */
const models = {
  Deployment: "kubernetes-models/apps/v1",
  HorizontalPodAutoscaler: "kubernetes-models/autoscaling/v2",
  Ingress: "kubernetes-models/networking.k8s.io/v1",
  Job: "kubernetes-models/batch/v1",
  NetworkPolicy: "kubernetes-models/networking.k8s.io/v1",
  PodDisruptionBudget: "kubernetes-models/policy/v1",
  Service: "kubernetes-models/v1",
  ServiceAccount: "kubernetes-models/v1",
  ServiceMonitor: "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1",
};

/**
 * A value beside the minimal ones, and what the refusal must name.
 * @type {[string, string][]}
 */
const refused = [
  ["replicaCount=2", "needs redis.url"],
  ["autoscaling.enabled=true", "needs redis.url"],
  ["image.repository=", "image.repository is required"],
  ["secretKey.existingSecret=", "existingSecret"],
  ["postgres.url=", "postgres.url"],
  ["postgres.url=mysql://db/gateway", "url"],
  ["postgres.replica.url=mysql://db/gateway", "replica"],
  ["env.DATABASE_REPLICA_URL=postgres://standby/gateway", "DATABASE_REPLICA_URL"],
  ["replicas=3", "replicas"],
  ["env.SECRET_KEY=in-the-clear", "SECRET_KEY"],
  ["stopSeconds=100000", "stopSeconds"],
  ["ingress.enabled=true", "ingress.hosts"],
  ["serviceMonitor.enabled=true", "serviceMonitor.existingSecret"],
];

const { error } = helm("version", "--short");
if (error !== undefined) fail("This check needs helm on the PATH: https://helm.sh/docs/intro/install");
const valuesFiles = readdirSync(join(chart, "ci")).map((name) => join(chart, "ci", name));
const kinds = new Set();
for (const file of valuesFiles) {
  must("lint", "--strict", chart, "--values", file);
  const objects = render(file);
  for (const object of objects) kinds.add(object.kind);
  await validate(objects);
  refuseUnknownFields(objects);
  for (const { kind, spec } of objects.filter((object) => object.spec?.template !== undefined))
    checkPod(kind, spec.template.spec);
}
const missing = Object.keys(models).filter((kind) => !kinds.has(kind));
if (missing.length > 0) fail(`No values render ${missing.join(", ")}.`);
for (const [value, reason] of refused) {
  const { status, stderr } = helm("template", "release", chart, "--values", minimal, "--set", value);
  if (status === 0) fail(`The chart accepts ${value}.`);
  if (!stderr.includes(reason)) fail(`${value} is refused without “${reason}”:\n${stderr}`);
}
say(`${valuesFiles.length} sets of values render ${kinds.size} kinds; ${refused.length} others are refused`);

function render(file) {
  const documents = parseAllDocuments(must("template", "release", chart, "--values", file));
  for (const { errors } of documents) if (errors.length > 0) fail(`${file}: ${errors[0].message}`);
  return documents.map((document) => document.toJS()).filter((object) => object !== null);
}

/** Required fields, types and formats. */
async function validate(objects) {
  for (const object of objects) {
    const module = models[object.kind];
    if (module === undefined) fail(`No model of ${object.apiVersion} ${object.kind}.`);
    const { [object.kind]: Model } = await import(module);
    if (Model.apiVersion !== object.apiVersion)
      fail(`${object.kind} has the version ${object.apiVersion}, and its model ${Model.apiVersion}.`);
    new Model(object).validate();
  }
}

/** The validators ignore unknown fields; the compiler finds them in a literal of the model's type. */
function refuseUnknownFields(objects) {
  const folder = mkdtempSync(join(root, "node_modules/.gateway-chart-"));
  try {
    const lines = objects.map(
      (object, index) =>
        `import type { I${object.kind} as T${index} } from "${models[object.kind]}";\n` +
        `export const object${index}: T${index} = ${JSON.stringify(object, null, 2)};\n`,
    );
    writeFileSync(join(folder, "objects.ts"), lines.join("\n"));
    const flags = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--ignoreConfig"];
    const { status, stdout } = spawnSync("tsc", [...flags, "objects.ts"], {
      cwd: folder,
      env: toolEnvironment(),
      encoding: "utf8",
    });
    if (status !== 0) fail(`The objects have fields that Kubernetes does not know:\n${stdout}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The rights of the level “restricted” of Kubernetes' pod security standards, and time to stop in order. */
function checkPod(kind, pod) {
  const { securityContext: own, containers, terminationGracePeriodSeconds: grace } = pod;
  const isTrue = (condition, what) => condition || fail(`${kind}: ${what}`);
  isTrue(own.runAsNonRoot && own.seccompProfile.type === "RuntimeDefault", "not restricted");
  for (const { securityContext: rights, resources, env } of containers) {
    isTrue(rights.readOnlyRootFilesystem, "the root file system is writable");
    isTrue(rights.capabilities.drop.includes("ALL") && !rights.allowPrivilegeEscalation, "has capabilities");
    isTrue(resources.limits.memory !== undefined, "has no limit of memory");
    if (kind !== "Deployment") continue;
    const seconds = (name) => Number(env.find((variable) => variable.name === name).value);
    isTrue(grace === seconds("DRAIN_SECONDS") + seconds("STOP_SECONDS") + 32, "has too little time to stop");
  }
}

function must(...args) {
  const { status, stdout, stderr } = helm(...args);
  if (status !== 0) fail(`helm ${args.join(" ")}:\n${stdout}${stderr}`);
  return stdout;
}

function helm(...args) {
  return spawnSync("helm", args, { encoding: "utf8", timeout: 60_000, maxBuffer: 100_000_000 });
}
