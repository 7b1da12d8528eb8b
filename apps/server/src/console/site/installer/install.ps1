# Connects command-line clients to the gateway at @ADDRESS@
#
#   & ([scriptblock]::Create((irm @ADDRESS@/install.ps1))) [client ...] [-Model NAME] [-NoTest]
#   & ([scriptblock]::Create((irm @ADDRESS@/install.ps1))) -Undo
#
# It writes the settings of the clients, keeps copies of the files it changes, and makes one short call per
# client. The key comes from GATEWAY_API_KEY or from a sign-in with the browser (-AskKey: it is requested); it is
# never part of an address or an argument.
param(
  [Parameter(ValueFromRemainingArguments = $true)][string[]]$Clients = @(),
  [string]$Model = $env:GATEWAY_MODEL,
  [switch]$AskKey,
  [switch]$NoTest,
  [switch]$Undo
)

& {
  $ErrorActionPreference = 'Stop'
  $address = @ADDRESS_WORD@
  $userFolder = [Environment]::GetFolderPath('UserProfile')
  $state = Join-Path $userFolder '.local/state/gateway-connect'
  $manifest = Join-Path $state 'manifest.json'
  $utf8 = New-Object System.Text.UTF8Encoding $false

  # Client, dialect, command, path below the user's folder, format, settings to remove, settings to keep.
  $files = @'
@FILES@
'@ -split "`r?`n" | Where-Object { $_ } | ForEach-Object {
    $part = $_.Split('|')
    [pscustomobject]@{ Client = $part[0]; Dialect = $part[1]; Command = $part[2]; Path = $part[3]; Format = $part[4]; Removes = $part[5]; Keeps = $part[6] }
  }
  $known = $files | ForEach-Object { $_.Client } | Select-Object -Unique

  # The settings of each file, without key and model.
  $contents = @{
@CONTENTS@
  }

  $mergeProgram = @'
@MERGE_PROGRAM@
'@

  function Get-Target([string]$path) {
    $moved = @{ '.claude/' = $env:CLAUDE_CONFIG_DIR; '.codex/' = $env:CODEX_HOME; '.config/' = $env:XDG_CONFIG_HOME }
    foreach ($start in $moved.Keys) {
      if ($path.StartsWith($start) -and $moved[$start]) { return Join-Path $moved[$start] $path.Substring($start.Length) }
    }
    Join-Path $userFolder $path
  }

  # Codex has its own entries for these models, which the gateway's catalogue would replace.
  function Test-Line([string]$line) {
    if ($line.Contains('__GATEWAY_WINDOW__')) { return [bool]$window }
    if ($line -notmatch '^(model_catalog_url = |\[features\]$|api_key_model_discovery = )') { return $true }
    return $Model -cnotmatch '^(gpt-5(?![.\d]*-chat)|gpt-[6-9](?!\d)|codex-)'
  }

  # Claude Code assumes too many input tokens of a model without a description, except for names that it knows.
  function Get-Assumed([string]$line) {
    if (-not $window -and $line.Contains('CLAUDE_CODE_MAX_CONTEXT_TOKENS') -and $Model -notmatch 'claude|^(opus|sonnet|haiku)') {
      return $line.Replace('__GATEWAY_WINDOW__', '128000')
    }
    return $line
  }

  function Get-Filled([string]$path, [string]$shownKey) {
    $lines = $contents[$path].Replace("`r`n", "`n").Split("`n") | ForEach-Object { Get-Assumed $_ } | Where-Object { Test-Line $_ }
    ($lines -join "`n").Replace('__GATEWAY_KEY__', $shownKey).Replace('__GATEWAY_MODEL__', $Model).Replace('__GATEWAY_BACKGROUND__', $background).Replace('__GATEWAY_WINDOW__', $window) + "`n"
  }

  function Get-Manifest {
    if (Test-Path -LiteralPath $manifest) { return @((Get-Content -LiteralPath $manifest -Raw | ConvertFrom-Json)) }
    return @()
  }

  function Save-Manifest($lines) {
    [IO.File]::WriteAllText($manifest, (ConvertTo-Json -InputObject @($lines)), $utf8)
  }

  function Get-Sum([string]$file) { (Get-FileHash -LiteralPath $file -Algorithm SHA256).Hash }

  function Restore-Files {
    $lines = @(Get-Manifest)
    if ($lines.Count -eq 0) { return Write-Host 'There is nothing to undo.' }
    foreach ($line in $lines) {
      if ((Test-Path -LiteralPath $line.Target) -and (Get-Sum $line.Target) -ne $line.Sum) {
        Copy-Item -LiteralPath $line.Target -Destination "$($line.Target).before-undo" -Force
        Write-Host "$($line.Target) was changed since; the changed file is now $($line.Target).before-undo"
      }
      if ($line.Kind -eq 'created') {
        Remove-Item -LiteralPath $line.Target -Force -ErrorAction SilentlyContinue
        Write-Host "Removed $($line.Target)"
      } else {
        Copy-Item -LiteralPath $line.Copy -Destination $line.Target -Force
        Write-Host "Restored $($line.Target)"
      }
    }
    Remove-Item -LiteralPath $state -Recurse -Force
  }

  function Set-File([string]$text, [string]$target) {
    New-Item -ItemType Directory -Force -Path (Split-Path $target) | Out-Null
    $lines = @(Get-Manifest)
    $line = $lines | Where-Object { $_.Target -eq $target } | Select-Object -First 1
    if (-not $line) {
      $line = [pscustomobject]@{ Kind = 'created'; Target = $target; Copy = ''; Sum = '' }
      if (Test-Path -LiteralPath $target) {
        $line.Kind = 'changed'
        $line.Copy = Join-Path $state ([guid]::NewGuid().ToString())
        Copy-Item -LiteralPath $target -Destination $line.Copy
      }
      $lines += $line
    }
    # Recorded before the file is replaced.
    Save-Manifest $lines
    [IO.File]::WriteAllText($target, $text, $utf8)
    $line.Sum = Get-Sum $target
    Save-Manifest $lines
  }

  function Read-Key {
    $secret = Read-Host -Prompt 'API key' -AsSecureString
    (New-Object System.Net.NetworkCredential('', $secret)).Password
  }

  # Device sign-in (RFC 8628): the user confirms the code in a browser.
  function Get-SignedInKey {
    $name = 'Installer on ' + ([Environment]::MachineName -replace '[^A-Za-z0-9._-]', '')
    $started = Invoke-RestMethod -Method Post -Uri "$address/device/authorization" -Body @{ device_name = $name } -TimeoutSec 60
    Write-Host "Sign in and confirm the code $($started.user_code) at"
    Write-Host "  $($started.verification_uri_complete)"
    $form = @{ grant_type = 'urn:ietf:params:oauth:grant-type:device_code'; device_code = $started.device_code }
    $interval = $started.interval
    $left = $started.expires_in
    while ($left -gt 0) {
      Start-Sleep -Seconds $interval
      $left -= $interval
      try {
        return (Invoke-RestMethod -Method Post -Uri "$address/device/token" -Body $form -TimeoutSec 60).access_token
      } catch {
        $answer = $null
        try { $answer = "$($_.ErrorDetails.Message)" | ConvertFrom-Json } catch { }
        # A poll that failed on its way is repeated.
        if (-not $answer -or @('authorization_pending', 'server_error') -contains $answer.error) { continue }
        if ($answer.error -ne 'slow_down') { throw $answer.error_description }
        $interval += 5
      }
    }
    throw 'The code has expired. Start again.'
  }

  # Returns the reason of a failure, or nothing.
  function Test-Connection([string]$dialect) {
    $message = @(@{ role = 'user'; content = 'Hi' })
    $headers = @{ Authorization = "Bearer $key" }
    switch ($dialect) {
      'anthropic' { $path = '/v1/messages'; $body = @{ model = $Model; max_tokens = 16; messages = $message } }
      'openai-responses' { $path = '/v1/responses'; $body = @{ model = $Model; max_output_tokens = 16; input = 'Hi' } }
      'gemini' {
        $path = "/v1beta/models/${Model}:generateContent"
        $headers = @{ 'x-goog-api-key' = $key }
        $body = @{ contents = @(@{ role = 'user'; parts = @(@{ text = 'Hi' }) }); generationConfig = @{ maxOutputTokens = 16 } }
      }
      default { $path = '/v1/chat/completions'; $body = @{ model = $Model; max_tokens = 16; messages = $message } }
    }
    try {
      $json = ConvertTo-Json -InputObject $body -Depth 8 -Compress
      Invoke-RestMethod -Method Post -Uri "$address$path" -Headers $headers -ContentType 'application/json' -Body $json -TimeoutSec 120 | Out-Null
    } catch {
      if ($_.ErrorDetails -and $_.ErrorDetails.Message) { return $_.ErrorDetails.Message }
      return $_.Exception.Message
    }
  }

  function Connect-Client([string]$client) {
    $prepared = @{}
    foreach ($file in $files | Where-Object { $_.Client -eq $client }) {
      $target = Get-Target $file.Path
      $text = Get-Filled $file.Path $key
      if ((Test-Path -LiteralPath $target) -and (Get-Item -LiteralPath $target).Length -gt 0) {
        $reason = 'It exists, and merging needs Node.js.'
        $done = $false
        if (Get-Command node -ErrorAction SilentlyContinue) {
          $program = Join-Path $work 'merge.cjs'
          $added = Join-Path $work 'settings'
          [IO.File]::WriteAllText($program, $mergeProgram, $utf8)
          [IO.File]::WriteAllText($added, $text, $utf8)
          $result = Join-Path $work 'merged'
          $errors = Join-Path $work 'errors'
          $words = @($program, $file.Format, $target, $added, "$($file.Removes)", "$($file.Keeps)") | ForEach-Object { '"' + $_ + '"' }
          $process = Start-Process -FilePath (Get-Command node).Source -ArgumentList $words -NoNewWindow -Wait -PassThru -RedirectStandardOutput $result -RedirectStandardError $errors
          $done = $process.ExitCode -eq 0
          if ($done) { $text = [IO.File]::ReadAllText($result, $utf8) } else { $reason = [IO.File]::ReadAllText($errors) }
        }
        if (-not $done) {
          Write-Warning "$target was not changed. $reason Add these settings to it:"
          Write-Host (Get-Filled $file.Path 'sk-...')
          return $false
        }
      }
      $prepared[$target] = $text
    }
    foreach ($target in $prepared.Keys) {
      Set-File $prepared[$target] $target
      Write-Host "Wrote $target"
    }
    return $true
  }

  if ($Undo) { return Restore-Files }
  foreach ($client in $Clients) {
    if ($known -notcontains $client) { throw "Unknown client $client. Known: $($known -join ' ')" }
  }
  if ($Clients.Count -eq 0) {
    $Clients = @($known | Where-Object {
        $client = $_
        $command = ($files | Where-Object { $_.Client -eq $client } | Select-Object -First 1).Command
        Get-Command $command -ErrorAction SilentlyContinue
      })
  }
  if ($Clients.Count -eq 0) { throw "No known client is installed. Name one of: $($known -join ' ')" }
  $key = $env:GATEWAY_API_KEY
  if (-not $key) { if ($AskKey) { $key = Read-Key } else { $key = Get-SignedInKey } }
  if ($key -notmatch '^[A-Za-z0-9._-]+$') { throw 'That is not a key of this gateway.' }
  if (-not $Model) {
    $list = (Invoke-RestMethod -Uri "$address/v1/models" -Headers @{ Authorization = "Bearer $key" } -TimeoutSec 60).data
    $list | ForEach-Object { Write-Host "  $($_.id)" }
    $Model = Read-Host -Prompt 'Name of the model'
  }
  if ($Model -notmatch '^[A-Za-z0-9._:/@+-]+$') {
    throw "This model has no name that the installer can write. $address/connect shows the settings."
  }
  # The input tokens that the model accepts; empty if they are unknown.
  $window = ''
  try {
    $headers = @{ Authorization = "Bearer $key"; 'anthropic-version' = '2023-06-01' }
    $window = [string](Invoke-RestMethod -Uri "$address/v1/models/$Model" -Headers $headers -TimeoutSec 60).max_input_tokens
  } catch { }
  # The model for calls in the background: beside a larger Claude the newest Haiku of the key, else the same.
  $background = $Model
  if ($Model -match 'claude' -and $Model -notmatch 'haiku') {
    $headers = @{ Authorization = "Bearer $key" }
    $haiku = (Invoke-RestMethod -Uri "$address/v1/models" -Headers $headers -TimeoutSec 60).data | ForEach-Object { $_.id } |
      Where-Object { $_ -match 'claude.*haiku' -and $_ -match '^[A-Za-z0-9._:/@+-]+$' } | Sort-Object | Select-Object -Last 1
    if ($haiku) { $background = $haiku }
  }
  $work = Join-Path ([IO.Path]::GetTempPath()) ([guid]::NewGuid().ToString())
  New-Item -ItemType Directory -Path $work | Out-Null
  New-Item -ItemType Directory -Force -Path $state | Out-Null
  try {
    foreach ($client in $Clients) {
      if (-not (Connect-Client $client)) { continue }
      if ($NoTest) { continue }
      $failure = Test-Connection (@($files | Where-Object { $_.Client -eq $client })[0].Dialect)
      if ($failure) { Write-Warning "${client}: the call with $Model failed: $failure" }
      else { Write-Host "${client}: connected. A call with $Model was answered." }
    }
  } finally {
    Remove-Item -LiteralPath $work -Recurse -Force
  }
  Write-Host "To restore the old settings: & ([scriptblock]::Create((irm $address/install.ps1))) -Undo"
}
