"""Measure, judge, record and report what two libraries answered to one question."""
