{{- define "gateway.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "gateway.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else if contains (include "gateway.name" .) .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "gateway.name" .) | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "gateway.selectorLabels" -}}
app.kubernetes.io/name: {{ include "gateway.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "gateway.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "gateway.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "gateway.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "gateway.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "gateway.image" -}}
{{- $repository := required "image.repository is required, for example ghcr.io/OWNER/gateway" .Values.image.repository }}
{{- if .Values.image.digest }}
{{- printf "%s@%s" $repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" $repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{- define "gateway.isShared" -}}
{{- if or .Values.autoscaling.enabled (gt (int .Values.replicaCount) 1) }}true{{ end }}
{{- end }}

{{/* What cannot be expressed in values.schema.json: two nodes without Redis would each grant the whole rate limits. */}}
{{- define "gateway.requireRedis" -}}
{{- if and (include "gateway.isShared" .) (not .Values.redis.url) (not .Values.redis.existingSecretUrl) }}
{{- fail "More than one replica needs redis.url or redis.existingSecretUrl." }}
{{- end }}
{{- end }}

{{- define "gateway.podSecurityContext" -}}
{{- $user := dict }}
{{- if .Values.runAsUser }}{{ $_ := set $user "runAsUser" (int64 .Values.runAsUser) }}{{ end }}
{{- if ne .Values.runAsGroup nil }}{{ $_ := set $user "runAsGroup" (int64 .Values.runAsGroup) }}{{ end }}
{{- toYaml (merge $user (deepCopy .Values.podSecurityContext)) }}
{{- end }}

{{- define "gateway.databaseEnv" -}}
- name: DATABASE_URL
{{- if .Values.postgres.existingSecretUrl }}
  valueFrom:
    secretKeyRef:
      name: {{ .Values.postgres.existingSecretUrl }}
      key: {{ .Values.postgres.urlKey }}
{{- else }}
  value: {{ required "postgres.url or postgres.existingSecretUrl is required" .Values.postgres.url | quote }}
{{- end }}
{{- with .Values.postgres.existingSecretPassword }}
- name: DATABASE_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: {{ $.Values.postgres.passwordKey }}
{{- end }}
{{- end }}

{{- define "gateway.replicaEnv" -}}
{{- with .Values.postgres.replica }}
{{- if or .existingSecretUrl .url }}
- name: DATABASE_REPLICA_URL
{{- if .existingSecretUrl }}
  valueFrom:
    secretKeyRef:
      name: {{ .existingSecretUrl }}
      key: {{ .urlKey }}
{{- else }}
  value: {{ .url | quote }}
{{- end }}
- name: DATABASE_REPLICA_LAG_SECONDS
  value: {{ .maxLagSeconds | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- define "gateway.rootEnv" -}}
{{- with .Values.root.existingSecret }}
- name: ROOT_USERNAME
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: {{ $.Values.root.usernameKey }}
- name: ROOT_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: {{ $.Values.root.passwordKey }}
{{- with $.Values.root.accessTokenKey }}
- name: ROOT_ACCESS_TOKEN
  valueFrom:
    secretKeyRef:
      name: {{ $.Values.root.existingSecret }}
      key: {{ . }}
{{- end }}
{{- end }}
{{- end }}

{{- define "gateway.volumeMounts" -}}
- name: data
  mountPath: /data
- name: tmp
  mountPath: /tmp
{{- end }}

{{- define "gateway.volumes" -}}
- name: data
  emptyDir:
    sizeLimit: {{ .Values.dataVolume.sizeLimit }}
- name: tmp
  emptyDir:
    sizeLimit: 256Mi
{{- end }}

{{/* A path below basePath, which is given with or without a slash at its end. */}}
{{- define "gateway.path" -}}
{{- printf "%s%s" (trimSuffix "/" .base) .path }}
{{- end }}
