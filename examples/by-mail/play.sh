#!/bin/sh
# Five hospitals train, audit and sign by mail. Each has a folder of its own with its rows and its key;
# only small JSON files are copied between them. Usage: play.sh FOLDER [MODEL], with `corefed` on the PATH.
set -eu
place=${1:?name a folder to play in}
model=${2:-logistic}
mkdir "$place"
cd "$place"
hospitals="Aachen Bergen Coimbra Dresden Evora"

# Everybody gets its own rows, and nothing else.
corefed run hospitals --out demo >demo.log 2>&1 || true
for name in $hospitals; do
    mkdir "$name"
    awk -F, -v name="$name" 'NR == 1 || $1 == name' demo/federation.csv | cut -d, -f2- >"$name/rows.csv"
done
target=$(head -n 1 Aachen/rows.csv | tr , '\n' | tail -n 1)
mkdir coordinator

# Each summarises its columns.
for name in $hospitals; do
    (cd "$name" && corefed keys new my.key >public.txt 2>keys.log &&
        corefed summarise --data rows.csv --agent "$name" --target "$target" --model "$model" --key my.key)
    cp "$name/$name.summary.json" coordinator/
done

# Questions out, answers back, until there is a certificate.
set -- --ceiling "${CEILING:-initial:1.0}"
rounds=0
while :; do
    code=0
    corefed audit --answers coordinator "$@" >said.txt || code=$?
    cat said.txt
    set --
    [ -e coordinator/certificate.json ] && break
    [ "$code" -eq 3 ] || exit "$code"
    rounds=$((rounds + 1))
    questions=$(ls coordinator/questions-*.json | tail -n 1)
    for name in $hospitals; do
        cp "$questions" "$name/"
        (cd "$name" && corefed answer "$(basename "$questions")" --data rows.csv --key my.key)
        cp "$name/answers-$(printf %02d "$rounds")-$name.json" coordinator/
    done
done
echo "rounds of questions: $rounds"

# Everybody checks its part on its own rows, and signs.
for name in $hospitals; do
    cp coordinator/certificate.json "$name/"
    (cd "$name" && corefed attest certificate.json --data rows.csv --key my.key)
    cp "$name/$name.attestation.json" coordinator/
done
(cd coordinator && corefed attest certificate.json --out attested.json --merge ./*.attestation.json)
corefed verify coordinator/attested.json
