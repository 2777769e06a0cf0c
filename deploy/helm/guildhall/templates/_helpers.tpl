{{- define "guildhall.labels" -}}
app.kubernetes.io/name: guildhall
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "guildhall.selector" -}}
app.kubernetes.io/name: guildhall
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: server
{{- end }}

{{- define "guildhall.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "guildhall.container" -}}
image: {{ include "guildhall.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
env:
  - {name: SERVICE_BASE_URL, value: {{ .Values.baseUrl | quote }}}
  - {name: SERVICE_TRUSTED_PROXIES, value: {{ .Values.trustedProxies | quote }}}
  - {name: SERVICE_BLOB_STORE, value: s3}
  - {name: S3_BUCKET, value: {{ .Values.objectStore.bucket | quote }}}
  - {name: S3_REGION, value: {{ .Values.objectStore.region | quote }}}
  {{- if .Values.objectStore.endpoint }}
  - {name: S3_ENDPOINT, value: {{ .Values.objectStore.endpoint | quote }}}
  {{- end }}
  - name: SERVICE_SECRET_KEY
    valueFrom: {secretKeyRef: {name: {{ .Values.existingSecret }}, key: secret-key}}
  - name: S3_ACCESS_KEY_ID
    valueFrom: {secretKeyRef: {name: {{ .Values.existingSecret }}, key: s3-access-key-id}}
  - name: S3_SECRET_ACCESS_KEY
    valueFrom: {secretKeyRef: {name: {{ .Values.existingSecret }}, key: s3-secret-access-key}}
  {{- if .Values.database.existingSecret }}
  - name: SERVICE_DATABASE_URL
    valueFrom: {secretKeyRef: {name: {{ .Values.database.existingSecret }}, key: url}}
  {{- else }}
  - name: DATABASE_PASSWORD
    valueFrom: {secretKeyRef: {name: {{ .Values.existingSecret }}, key: database-password}}
  - name: SERVICE_DATABASE_URL
    value: postgresql://guildhall:$(DATABASE_PASSWORD)@{{ .Release.Name }}-database/guildhall
  {{- end }}
  {{- range $name, $value := .Values.settings }}
  - {name: {{ $name }}, value: {{ $value | quote }}}
  {{- end }}
volumeMounts:
  - {name: data, mountPath: /var/lib/guildhall}
  - {name: tmp, mountPath: /tmp}
{{- end }}

{{- define "guildhall.pod" -}}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
volumes:
  - {name: data, emptyDir: {}}
  - {name: tmp, emptyDir: {}}
{{- end }}
