"""What the extractive summariser keeps of planted facts at 10, 20 and 30 % of the characters."""

from __future__ import annotations

from tests.conversation.digest.quality import digest_quality as measured


def main() -> None:
    """Print what is kept: on the compaction conformance kit, and on conversations of our own."""
    print(
        f"{'material':<18} {'budget':>6} {'held':>7} {'resolved':>8} {'stale':>5} {'pairs':>7} fits"
    )
    for name, score in measured():
        print(
            f"{name:<18} {score.budget:>6.0%} {score.held:>7.1%} {score.resolved:>8.1%} "
            f"{score.stale:>5} {score.pairs:>7.1%} {'yes' if score.compliant else 'NO'}"
        )


if __name__ == "__main__":
    main()
