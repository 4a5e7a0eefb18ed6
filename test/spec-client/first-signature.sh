#!/usr/bin/env bash
# A client written from the API specification's section 5 alone, with nothing but a shell, openssl and
# curl. It makes a machine user, a vault and a wallet, lets the user sign with it, and verifies the
# signature with openssl.
#
#   BASE_URL=... ADMIN_ID=... API_KEY=... PRIVATE_KEY_FILE=admin.pem first-signature.sh
set -euo pipefail
: "${BASE_URL:?}" "${ADMIN_ID:?}" "${API_KEY:?}" "${PRIVATE_KEY_FILE:?}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# $1 as $2 bytes, little-endian
little_endian() {
  local value=$1 i
  for ((i = 0; i < $2; i++)); do
    printf "\\x$(printf '%02x' $((value & 255)))"
    value=$((value >> 8))
  done
}

# a field of the transcript: its length in 4 bytes, then its bytes (read from stdin)
field() {
  cat > "$work/field"
  little_endian "$(wc -c < "$work/field")" 4
  cat "$work/field"
}

to_hex() { od -An -v -tx1 | tr -d ' \n'; }
base64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }

# the first string value of a JSON field in $1
json_field() { printf '%s' "$1" | grep -o "\"$2\":\"[^\"]*\"" | sed -n 1p | cut -d '"' -f 4; }

# signed_request METHOD PATH BODY API_KEY PRIVATE_KEY_FILE
signed_request() {
  local method=$1 path=$2 body=$3 api_key=$4 key=$5
  local now timestamp nonce assertion
  now=$(date +%s%3N)
  timestamp=$(little_endian "$now" 8 | to_hex)
  openssl rand 8 > "$work/nonce"
  nonce=$(to_hex < "$work/nonce")
  {
    printf '\x01'
    printf '%s' "$method" | field
    printf '%s' "$path" | field
    printf '' | field
    printf '%s' "$body" | field
    printf '%s' "$api_key" | field
    little_endian "$now" 8
    cat "$work/nonce"
  } > "$work/transcript"
  openssl dgst -sha256 -binary "$work/transcript" > "$work/digest"
  openssl pkeyutl -sign -rawin -inkey "$key" -in "$work/digest" -out "$work/assertion"
  assertion=$(base64url < "$work/assertion")
  curl --silent --show-error --fail-with-body --request "$method" "$BASE_URL$path" \
    --header "authorization: ApiKey $api_key" \
    --header "x-request-nonce: $nonce" \
    --header "x-request-timestamp: $timestamp" \
    --header "x-request-assertion: $assertion" \
    --header 'content-type: application/json' \
    --header 'prefer: wait=30' \
    --data-binary "$body"
}

admin() { signed_request "$1" "$2" "$3" "$API_KEY" "$PRIVATE_KEY_FILE"; }

openssl genpkey -algorithm ed25519 -out "$work/bot.pem"
bot_key=$(openssl pkey -in "$work/bot.pem" -pubout -outform DER | tail -c 32 | base64url)
name="spec client $(openssl rand -hex 4)"

user=$(admin POST /v1/users "{\"type\":\"machine\",\"display_name\":\"$name\",\"public_key\":\"$bot_key\"}")
bot_id=$(json_field "$user" id)
bot_api_key=$(json_field "$user" api_key)

vault=$(admin POST /v1/vaults "{\"display_name\":\"$name\"}")
vault_id=$(json_field "$vault" id)

wallet=$(admin POST "/v1/vaults/$vault_id/wallets" '{"network_family":"solana"}')
wallet_id=$(json_field "$wallet" id)
address=$(json_field "$wallet" address)
public_key=$(json_field "$wallet" raw)

group=$(admin POST /v1/security-groups \
  "{\"display_name\":\"$name\",\"members\":[{\"member_id\":\"$wallet_id\",\"member_type\":\"wallet\"}]}")
group_id=$(json_field "$group" id)
admin POST /v1/signing-policies "{\"display_name\":\"$name\",\"security_group_id\":\"$group_id\",
  \"rules\":[{\"display_name\":\"the bot may sign messages\",\"then\":\"allow\",
  \"when\":{\"operations\":[\"raw_sign\"],\"initiators\":{\"user_ids\":[\"$bot_id\"]}}}]}" > /dev/null

printf 'signed by a client from the specification' > "$work/message"
message=$(openssl base64 -A < "$work/message")
answer=$(signed_request POST "/v1/vaults/$vault_id/wallets/$address/raw-sign" \
  "{\"message\":\"$message\"}" "$bot_api_key" "$work/bot.pem")
json_field "$answer" signature | openssl base64 -d -A > "$work/signature"

# the wallet's public key as an SPKI, for openssl
{
  printf '\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00'
  printf '%s' "$public_key" | openssl base64 -d -A
} > "$work/wallet.der"
openssl pkeyutl -verify -rawin -pubin -keyform DER -inkey "$work/wallet.der" \
  -in "$work/message" -sigfile "$work/signature" > "$work/verdict"
grep -q 'Signature Verified Successfully' "$work/verdict"
echo "address $address"
echo "verified"
